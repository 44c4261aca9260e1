#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

#include "record/meters/meter.h"

namespace tactus::meters {

/// Samples on their way from one thread to another. Neither side ever waits: what does not fit is
/// lost, and counted.
class SampleRing {
 public:
  explicit SampleRing(std::size_t capacity) : slots_(std::bit_ceil(capacity < 2 ? 2 : capacity)) {}

  /// For the thread that samples.
  void push(const MeterSample& sample) {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) == slots_.size()) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    slots_[head & (slots_.size() - 1)] = sample;
    head_.store(head + 1, std::memory_order_release);
  }

  /// For the thread that drains: appends what is there, and says how much that was.
  std::size_t drain(std::vector<MeterSample>& into) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    const std::size_t head = head_.load(std::memory_order_acquire);
    for (std::size_t at = tail; at != head; ++at) {
      into.push_back(slots_[at & (slots_.size() - 1)]);
    }
    tail_.store(head, std::memory_order_release);
    return head - tail;
  }

  std::uint64_t pushed() const { return head_.load(std::memory_order_relaxed); }
  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  std::vector<MeterSample> slots_;
  std::atomic<std::size_t> head_ = 0;
  std::atomic<std::size_t> tail_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
};

}  // namespace tactus::meters
