#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cycles/passes/loops.h"
#include "run/run.h"

namespace tactus::edit_run {

inline constexpr std::uint32_t kNone = UINT32_MAX;

enum class WorkKind : std::uint8_t { kKernel, kSet, kCopy, kWaitedCopy };
inline constexpr std::size_t kWorkKinds = 4;

/// Device work as it was recorded.
struct Work {
  std::uint32_t row = 0;
  std::uint32_t loop = 0;
  std::uint32_t stream = 0;      ///< its track
  std::uint32_t call = kNone;    ///< row of the call that launched it
  std::uint32_t before = kNone;  ///< place of the earlier work of its stream that ended last
  WorkKind kind = WorkKind::kKernel;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t due_ns = 0;  ///< its start, or later if its launch or the work before it is later
};

/// Bits of what a host slice does.
enum Role : std::uint8_t {
  kCall = 1,    ///< a call of the driver or the runtime
  kLaunch = 2,  ///< a call that launches work and does not wait for it
  kWait = 4,    ///< a call that waits for work
};

/// Something that happened on a main thread or a device. Of one time, those come first that others
/// of that time may depend on.
struct Event {
  enum What : std::uint8_t { kWaitEnds, kSliceEnds, kSliceBegins, kWorkStarts };

  std::int64_t time_ns = 0;
  std::uint32_t index = 0;  ///< row of the slice, or place of the work
  What what = kSliceBegins;

  auto operator<=>(const Event& other) const = default;
};

/// The main thread of a loop is the one that launches most of its kernels.
struct RecordedLoop {
  std::uint32_t process = 0;
  std::uint32_t main_track = kNone;
  std::vector<std::uint32_t> streams;  ///< tracks
  /// Places of the work that the main thread launched, or nobody knows who, by its end.
  std::vector<std::uint32_t> by_end;
};

/// A run in the form that a replay needs.
struct Recording {
  std::vector<std::int64_t> start_ns;  ///< by row of run.slices
  std::vector<std::int64_t> end_ns;    ///< likewise
  std::vector<std::uint32_t> track;    ///< likewise
  std::vector<std::uint8_t> roles;     ///< likewise, of slices of main threads
  std::vector<RecordedLoop> loops;
  std::vector<std::uint32_t> loop_of_main_track;  ///< by track; kNone for others
  std::vector<Work> work;                         ///< by due_ns
  std::vector<Event> events;                      ///< sorted
  /// Calls that wait for the copy that they start: its place, of kind kWaitedCopy.
  std::unordered_map<std::uint32_t, std::uint32_t> copy_of_call;

  bool has_host() const;
};

Recording read_recording(const Run& run);

}  // namespace tactus::edit_run
