#pragma once

#include <atomic>
#include <cstdint>

#include "record/agent/driver.h"
#include "record/agent/gpu_times.h"
#include "wire/segment.h"
#include "wire/ticks.h"

namespace tactus::agent {

struct StackReader;

/// What one thread of the target needs to write records. Only that thread uses it.
/// CUPTI has not said yet; 0: nobody asked.
inline constexpr std::uint32_t kWantsCorrelation = ~std::uint32_t{0};

struct ThreadState {
  struct NameSlot {
    const void* function;
    std::uint32_t generation;
    std::uint32_t name;
  };
  struct StreamSlot {
    std::uint64_t handle;
    std::int32_t device;
    std::uint16_t index;
    bool is_known;
  };
  static constexpr std::size_t kNameSlots = 1024;
  static constexpr std::size_t kStreamSlots = 64;
  /// One record in so many is timed, for the budget.
  static constexpr std::uint32_t kTimedRecords = 64;

  wire::RingHeader* ring = nullptr;
  wire::Record* records = nullptr;
  const std::atomic<std::uint64_t>* tail = nullptr;
  std::uint64_t known_tail = 0;
  std::uint32_t sequence = 0;
  std::uint32_t tid = 0;
  bool is_shared = false;  ///< other threads use the ring, too
  volatile bool is_busy = false;
  volatile bool reads_stack = false;
  std::uint32_t scope = 0;        ///< the operator that it is in
  std::uint32_t correlation = 0;  ///< CUPTI's number of the call that it is in
  std::uint64_t before_call = 0;  ///< what the agent took before the call, if its record is timed
  std::uint64_t clock_cost = 0;   ///< what it costs to look at the clock [ticks]
  StackReader* stacks = nullptr;  ///< made when a stack is wanted
  GpuTimes gpu;
  StreamSlot streams[kStreamSlots];
  NameSlot names[kNameSlots];

  void count_nested();

  /// Around what the agent does before a call.
  void begin_call() { before_call = (sequence + 1) % kTimedRecords == 0 ? wire::ticks() : 0; }
  void is_about_to_call() {
    if (before_call != 0) [[unlikely]]
      before_call = wire::ticks() - before_call;
  }

  /// Where to write the next record; null if there is no room. `publish` follows.
  wire::Record* next() {
    const std::uint32_t number = sequence++;
    if (is_shared) [[unlikely]]
      return next_shared();
    is_busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::uint64_t head = ring->head.load(std::memory_order_relaxed);
    if (head - known_tail >= wire::kRingRecords) [[unlikely]] {
      if (!find_room(head)) {
        is_busy = false;
        return nullptr;
      }
    }
    wire::Record* record = &records[head % wire::kRingRecords];
    record->sequence = number;
    return record;
  }
  void publish() {
    ring->head.store(ring->head.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    if (is_shared) [[unlikely]]
      release_shared();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    is_busy = false;
  }

  /// The name of a kernel, as an id.
  std::uint32_t name_of(Handle function);
  /// The place of a stream in the table.
  std::uint16_t stream_of(Handle stream, bool per_thread);

 private:
  bool find_room(std::uint64_t head);
  wire::Record* next_shared();
  void release_shared();
};

/// The time that the agent takes from the program: adds what passed since `since` when it ends.
struct OwnTime {
  ThreadState& thread;
  std::uint64_t since = wire::ticks();
  ~OwnTime();
};

/// Puts the number of the call that the next record is.
void record_correlation(ThreadState& thread);

/// As OwnTime, with a part that is charged to the budget of GPU times. Stacks were asked for, so
/// that what they take does not keep the GPU from being timed.
void count_own_time(ThreadState& thread, std::uint64_t took, std::uint64_t charged);

}  // namespace tactus::agent
