#pragma once

#include <map>

#include "bench/rooms/remote_memory.h"
#include "bench/rooms/rooms.h"
#include "bench/rooms/shared_memory.h"

namespace tactus {

/// In the memory of the worker, which the judge reads and writes while the worker is stopped.
class HostRooms final : public Rooms {
 public:
  HostRooms(const Problem& problem, const TensorLayout& layout, RemoteMemory memory,
            std::vector<std::uint64_t> rooms, unsigned threads,
            std::unique_ptr<SharedMemory> shared = nullptr);

  bool bring(std::byte* drawn) override;
  bool prepare(const Place& place, Outputs outputs, WorkerRequest& request) override;
  bool collect(std::uint64_t place, std::byte* into) override;
  bool keep_decoy() override { return true; }  // the judge has it
  Result<std::string> changed_input(std::uint64_t place, const std::byte* expected) override;

  /// Writes inputs (those of `drawn` that the key makes) and outputs.
  bool furnish(const Place& place, const std::byte* drawn, Outputs outputs);

  /// The same for a large block: `content`, which is what the room holds, changes with it. At first
  /// all is written. Later calls change all inputs, but of weights and caches that are far larger
  /// than the outputs one piece in eight: enough to change all results.
  bool refurnish(const Place& place, std::byte* content, Outputs outputs);

 private:
  bool write_pieces(std::uint64_t to, const TensorSpec& spec, const std::byte* drawn,
                    InputKey key) const;
  bool renew_pieces(std::uint64_t to, const TensorSpec& spec, std::byte* content,
                    InputKey key) const;
  bool renew_whole(std::uint64_t to, const TensorSpec& spec, std::byte* content, InputKey key);
  bool write_outputs(std::uint64_t place, Outputs outputs) const;
  bool fill(std::uint64_t to, const TensorSpec& spec) const;
  bool transfer_plain(std::uint64_t place, std::size_t first, std::size_t end,
                      std::byte* into) const;
  bool write_plain(std::uint64_t to, const std::byte* from, std::size_t bytes) const;

  std::unique_ptr<SharedMemory> shared_;  ///< null if the worker removes it from the caches
  RemoteMemory memory_;
  std::byte* drawn_ = nullptr;
  bool furnished_ = false;  ///< the room of a large block
  /// Of a large block, by address: what cannot change in place is made of this each time.
  std::map<std::uint64_t, std::vector<std::byte>> drawn_tensors_;
};

}  // namespace tactus
