#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cycles/passes/loops.h"
#include "measure/step_parts.h"
#include "names/decoded_names.h"
#include "run/run.h"

namespace tactus {

inline constexpr std::uint32_t kNoIndex = UINT32_MAX;

/// The part of each kind of device work, by name, found once.
class PartsOfNames {
 public:
  explicit PartsOfNames(const Run& run)
      : run_(run), names_(run), known_(run.strings.size(), kNot) {}

  Part of(SliceKind kind, std::uint32_t name);

 private:
  static constexpr std::uint8_t kNot = 255;
  const Run& run_;
  DecodedNames names_;
  std::vector<std::uint8_t> known_;
};

/// The calls of host threads that are more than plain code, without those inside others.
struct HostCalls {
  std::vector<std::uint32_t> thread_of_track;  ///< of `threads`; kNoIndex for tracks without calls
  std::vector<std::uint32_t> track_of_thread;
  std::vector<std::vector<HostCall>> threads;
};
/// `each(row, part, dur_ns)` sees all calls, also those inside others.
HostCalls read_host_calls(
    const Run& run, const std::function<void(std::size_t, Part, std::int64_t)>& each = nullptr);

/// Ranges of collectives that the host does itself: "gloo:all_reduce".
bool may_be_host_collective(SliceKind kind);
bool is_host_collective(std::string_view name);

/// The device work of each rank and the collectives that its host does, sorted by start, and the
/// device of its first piece.
struct RankWork {
  std::vector<DevicePiece> pieces;
  DeviceId device;
};
/// `rank_of_process` says which rank (below `ranks`) a host process is, kNoIndex for none.
/// `each(row, piece)` sees the pieces of the device, in the order of the rows.
std::vector<RankWork> read_device_work(
    const Run& run, const Loops& loops, const HostCalls& calls,
    std::span<const std::uint32_t> rank_of_process, std::size_t ranks, PartsOfNames& parts,
    const std::function<void(std::size_t, const DevicePiece&)>& each = nullptr);

}  // namespace tactus
