#pragma once

#include <atomic>
#include <cstdint>

namespace tactus::agent {

/// Threads that read their frames of Python directly. Python takes the memory of other threads'
/// frames away when it ends, by munmap; the munmap of the agent waits until no thread is reading.
///
/// A reader says that it reads, then looks whether Python ends. Who unmaps sees first that Python
/// ends, then whether somebody reads. So one of the two notices the other.
class DirectReader {
 public:
  /// False if there are too many.
  bool take_place();
  void leave_place();
  bool has_place() const { return place_ != nullptr; }

  void begin() {
    place_->store(kReads, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void end() { place_->store(kIdle, std::memory_order_release); }

  static constexpr std::uint32_t kFree = 0, kIdle = 1, kReads = 2;

 private:
  std::atomic<std::uint32_t>* place_ = nullptr;
};

/// Waits until no other thread reads, at most a second.
void wait_for_direct_readers();
/// For the child of a fork.
void forget_direct_readers();

}  // namespace tactus::agent
