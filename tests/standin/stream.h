#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "standin/graph.h"
#include "standin/work.h"

namespace standin {

struct Device;

/// CUstream: does its work in order, on a thread that starts when there is something to do.
/// Streams live until the process ends, also destroyed ones: work may still be in them.
struct Stream {
  Device* device = nullptr;
  unsigned number = 0;  ///< 0: the default stream of its device
  bool is_legacy = false;
  bool waits_for_legacy = true;  ///< and the legacy stream for it
  std::atomic<bool> is_destroyed = false;

  /// Takes a work, for a capture or to do it.
  int submit(Work work);
  bool is_idle() const { return pending_.load(std::memory_order_acquire) == 0; }
  void wait_until_done();
  /// For the child of a fork: its threads are gone.
  void forget_thread() { has_thread_ = false; }

  std::atomic<bool> is_capturing = false;
  std::shared_ptr<Capture> capture;  ///< guarded by capture_lock(), as is the next
  std::vector<Node*> captured_after;

 private:
  void push(Work work);
  void run();

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<Work> queue_;
  std::atomic<std::uint64_t> pending_ = 0;
  std::int64_t clock_ns_ = 0;
  bool has_thread_ = false;
};

/// A stream of the device of the calling thread's context.
Stream* make_stream(unsigned flags);
/// The stream that a handle means; null if there is none.
Stream* find_stream(void* handle);
/// The same where the handle 0 means the stream of the calling thread.
Stream* find_stream_per_thread(void* handle);
void wait_for_all_streams(const Device& device);

/// A program that forks after cuInit cannot use CUDA in the child, as in life.
bool is_forked_child();

}  // namespace standin
