#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/window/window_wish.h"

namespace tactus::record {

/// Who records a process, or one that it started; nothing if nobody does, or if that is not to be
/// seen.
std::optional<std::int64_t> recorder_of(std::int64_t pid, const std::string& proc = "/proc");

/// What came of it.
struct WindowAccount {
  std::int64_t recorder = 0;
  std::string file;
  std::int64_t from_ns = 0;  ///< of the recording
  std::int64_t to_ns = 0;
  std::uint64_t kernels = 0;
  std::string text;  ///< what else there is to say
};

/// Asks a recorder for full mode, and waits until that is over. `begun` is told what the recorder
/// says when it begins. An error if it refuses, cannot be asked, or ends.
Result<WindowAccount> ask_for_window(std::int64_t recorder, const WindowWish& wish,
                                     const std::function<void(const WindowAccount&)>& begun);

}  // namespace tactus::record
