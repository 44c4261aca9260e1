#pragma once

#include <cstddef>
#include <functional>

namespace tactus {

/// Threads worth starting on this machine: at least one, at most `limit`.
unsigned usable_threads(unsigned limit = 16);

/// Calls `work(i, worker)` for every i in [0, count) on up to `threads` threads and returns when
/// all are done. `worker` is below `threads` and identifies the thread. The order of calls is not
/// defined; the caller makes the result independent of it. The first exception is thrown to the
/// caller; calls that had not begun by then are not made.
void parallel_for(unsigned threads, std::size_t count,
                  const std::function<void(std::size_t, unsigned)>& work);

}  // namespace tactus
