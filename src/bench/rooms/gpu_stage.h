#pragma once

#include <cstdint>
#include <vector>

#include "bench/device/device.h"
#include "bench/rooms/tensor_block.h"
#include "operators/refresh.h"

namespace tactus {

/// What outputs hold before a call.
enum class OutputsHold : std::uint32_t {
  kPoison,
  kDecoy,  ///< the right results of other inputs
  kStay,   ///< what an earlier call left there
};

/// The memory of a device that calls are made on, in the worker: blocks of tensors (rooms), the
/// tensors as they were drawn, and the results of the last call. The judge reaches it through a
/// buffer on the host, piece by piece.
class GpuStage {
 public:
  static constexpr std::size_t kStagingBytes = std::size_t{64} << 20;

  GpuStage(TimedDevice& device, const Problem& problem, const TensorLayout& layout);

  /// An error if not even one room fits.
  Status open(std::uint64_t rooms);
  const std::vector<std::uint64_t>& rooms() const { return rooms_; }
  std::uint64_t staging() const { return reinterpret_cast<std::uint64_t>(staging_); }

  /// From the buffer into the tensors as drawn.
  Status put(std::uint64_t offset, std::uint64_t bytes);
  /// Guards between the tensors, once they were put.
  Status spread_guards();

  /// Prepares a room for a call: inputs that the key makes, outputs.
  Status furnish(std::uint64_t room, InputKey key, OutputsHold hold);
  /// Takes the results of the call there.
  Status take_results(std::uint64_t room);
  /// Those results are the decoy from now on.
  Status keep_decoy();

  /// Into the buffer: a part of a room's block, outputs as take_results() found them.
  Status get(std::uint64_t room, std::uint64_t offset, std::uint64_t bytes);

 private:
  template <class Do>
  Status each_output(const Do& act) const;
  Result<std::byte*> allocate(std::size_t bytes);

  TimedDevice& device_;
  const Problem& problem_;
  const TensorLayout& layout_;
  std::vector<std::uint64_t> rooms_;
  std::vector<std::size_t> packed_;  ///< where each output is in results_ and decoy_
  std::size_t packed_bytes_ = 0;
  std::byte* drawn_ = nullptr;
  std::byte* results_ = nullptr;
  std::byte* decoy_ = nullptr;
  std::byte* staging_ = nullptr;
};

}  // namespace tactus
