#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus {

/// What the operating system did with a thread (on a core, ready, waiting) overlaps its calls, so
/// it has a track of its own, whose tid is a text: "host of 4711".
inline constexpr std::string_view kHostTrack = "host of ";

inline std::string host_track_tid(std::int64_t tid) {
  return std::string(kHostTrack) + std::to_string(tid);
}

/// The tid of the thread; nothing if the text names another track.
inline std::optional<std::int64_t> thread_of_host_track(std::string_view text) {
  if (!text.starts_with(kHostTrack) || text.size() > kHostTrack.size() + 18) return std::nullopt;
  std::int64_t tid = 0;
  for (const char c : text.substr(kHostTrack.size())) {
    if (c < '0' || c > '9') return std::nullopt;
    tid = tid * 10 + (c - '0');
  }
  return tid;
}

}  // namespace tactus
