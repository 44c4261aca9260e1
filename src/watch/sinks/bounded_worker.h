#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tactus::watch {

/// Delivers messages on a thread of its own. Whoever offers one never waits: if the queue is full,
/// the oldest message goes, and is counted.
class BoundedWorker {
 public:
  /// Delivers one message; false if that failed. It must end within seconds.
  using Deliver = std::function<bool(const std::string& message)>;

  BoundedWorker(std::string name, std::size_t limit, Deliver deliver);
  ~BoundedWorker();
  BoundedWorker(const BoundedWorker&) = delete;
  BoundedWorker& operator=(const BoundedWorker&) = delete;

  void offer(std::string message);
  /// Delivers what waits, but no longer than that; the rest is dropped.
  void finish(std::chrono::milliseconds limit);

  const std::string& name() const { return name_; }
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t failed() const { return failed_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  void run();

  std::string name_;
  std::size_t limit_;
  Deliver deliver_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  std::condition_variable idle_;
  std::deque<std::string> queue_;  ///< guarded, as the next two
  bool is_busy_ = false;
  bool is_ending_ = false;
  std::atomic<std::uint64_t> delivered_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::thread thread_;
};

}  // namespace tactus::watch
