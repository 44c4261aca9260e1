#pragma once

#include <cstdint>

#include "record/agent/driver.h"
#include "wire/record.h"

namespace tactus::agent {

struct ThreadState;

/// GPU time of graphs, and of what runs between two synchronisations, by pairs of events. Only
/// while the time that the agent takes stays within its budget, and never while a graph is
/// captured. Nothing here waits for the GPU.
class GpuTimes {
 public:
  /// Before a launch: opens a span if none is open.
  void before_launch(ThreadState& thread, Handle stream, std::uint16_t stream_index,
                     bool per_thread);
  /// Around the launch of a graph.
  void before_graph(ThreadState& thread, Handle stream, std::uint16_t stream_index, bool per_thread,
                    std::uint32_t name);
  void after_graph(ThreadState& thread);
  /// Around a call that waits for the device.
  void before_wait(ThreadState& thread);
  void after_wait(ThreadState& thread);

  /// The thread ends: its events are for others.
  void release();

  /// Takes time from the budget.
  void spend(std::uint64_t ticks) { credit_ -= static_cast<std::int64_t>(ticks); }

 private:
  struct Span {
    Handle begin = nullptr;
    Handle end = nullptr;
    Handle stream = nullptr;
    std::uint64_t begin_ticks = 0;
    std::uint32_t name = 0;
    std::uint32_t launches = 0;
    std::uint16_t stream_index = 0;
    bool per_thread = false;
    bool of_graph = false;
  };
  static constexpr std::size_t kWaiting = 16;
  static constexpr std::size_t kEvents = 2 * kWaiting + 8;

  bool is_allowed(ThreadState& thread);
  bool open(Span& span, Handle stream, std::uint16_t stream_index, bool per_thread);
  void close(Span& span);
  void collect(ThreadState& thread);
  bool report(ThreadState& thread, const Span& span);
  Handle take_event();
  void give_event(Handle event);
  /// After an error, or when a context is gone: its events are not touched any more.
  void forget();

  Span step_;
  Span graph_;
  bool step_is_open_ = false;
  bool step_is_refused_ = false;  ///< there was no budget when it began
  bool graph_is_open_ = false;
  Span waiting_[kWaiting];  ///< whose end may not have been reached
  std::size_t waiting_count_ = 0;
  Handle free_[kEvents] = {};
  std::size_t free_count_ = 0;
  std::size_t made_ = 0;

  Handle base_ = nullptr;  ///< an event in the past, from which times count
  std::int64_t base_ns_ = 0;
  std::uint32_t clock_ = 0;

  Handle context_ = nullptr;
  std::uint32_t contexts_gone_ = 0;
  std::uint32_t errors_ = 0;
  std::int64_t credit_ = 0;  ///< [ticks]
  std::uint64_t credit_at_ = 0;
};

}  // namespace tactus::agent
