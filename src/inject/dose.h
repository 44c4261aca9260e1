#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tactus::inject {

/// What an injector has done so far, in memory that it shares with its supervisor: it can be read
/// also after the injector was killed.
struct Dose {
  std::atomic<std::int64_t> begin_ns = 0;  ///< ns since the epoch; 0: not begun
  std::atomic<std::int64_t> end_ns = 0;
  std::atomic<std::uint64_t> bytes = 0;       ///< moved, written or sent
  std::atomic<std::uint64_t> most_bytes = 0;  ///< of memory that was held at one time
  std::atomic<std::uint64_t> operations = 0;  ///< writes, stops, launches
  std::atomic<std::int64_t> stopped_ns = 0;   ///< that the target of `stall` was stopped
  std::atomic<bool> was_refused = false;      ///< it found out that it must not, or cannot, begin
  std::array<char, 256> problem{};            ///< why it ended early

  /// The load begins now: what a scenario prepares (a context on a GPU takes a second) is none.
  void begin(std::int64_t wall_clock_ns) { begin_ns = wall_clock_ns; }
  void say(std::string_view text) {
    const std::size_t size = std::min(text.size(), problem.size() - 1);
    std::memcpy(problem.data(), text.data(), size);
    problem[size] = '\0';
  }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace tactus::inject
