#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace tactus {

/// Threads that wait for loops to run, so that a short one need not start any. The thread that asks
/// works too.
class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  /// work(argument, i) for i in [0, count), in any order; one loop at a time.
  void run(std::int64_t count, void (*work)(void*, std::int64_t), void* argument);

 private:
  void serve();
  void take_part(std::int64_t count, void (*work)(void*, std::int64_t), void* argument);

  std::vector<std::thread> threads_;
  // A loop is given out by a new generation; who has seen it and is done counts down `busy_`.
  std::atomic<std::uint32_t> generation_ = 0;
  std::atomic<std::uint32_t> busy_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> next_ = 0;
  std::int64_t count_ = 0;
  void (*work_)(void*, std::int64_t) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace tactus
