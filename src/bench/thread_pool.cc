#include "bench/thread_pool.h"

#include <algorithm>

namespace tactus {
namespace {

constexpr int kSpins = 20000;  // some ten microseconds: the next loop often comes at once

/// Waits until `value` is no longer `old`: spinning at first, then asleep.
template <class T>
T wait_for_change(const std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    const T now = value.load(std::memory_order_acquire);
    if (now != old) return now;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(std::int64_t count, void (*work)(void*, std::int64_t), void* argument) {
  if (threads_.empty() || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) work(argument, i);
    return;
  }
  count_ = count;
  work_ = work;
  argument_ = argument;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  take_part(count, work, argument);
  for (std::uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;) {
    busy = wait_for_change(busy_, busy);
  }
}

void ThreadPool::serve() {
  std::uint32_t seen = 0;
  while (true) {
    seen = wait_for_change(generation_, seen);
    if (stop_.load()) return;
    take_part(count_, work_, argument_);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
  }
}

void ThreadPool::take_part(std::int64_t count, void (*work)(void*, std::int64_t), void* argument) {
  // Small loops are given out one by one, long ones in pieces.
  const std::int64_t piece =
      std::max<std::int64_t>(1, count / (static_cast<std::int64_t>(size()) * 16));
  while (true) {
    const std::int64_t first = next_.fetch_add(piece, std::memory_order_relaxed);
    if (first >= count) return;
    for (std::int64_t i = first; i < std::min(count, first + piece); ++i) work(argument, i);
  }
}

}  // namespace tactus
