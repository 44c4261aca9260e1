// What a class has on the GPU: how much of it is queued, and how long a unit takes there.
#pragma once

#include "record/agent/gate/gate_link.h"

namespace tactus::agent {

/// Where a launch goes.
struct LaunchPlace {
  std::uint32_t class_number;
  Handle stream;
  bool per_thread;
};

/// Before a launch of a class whose depth is limited: waits until fewer than `depth` launches are
/// queued on its stream, or until `deadline`. `may_wait` false: it is only counted.
void pass_queue(const GateLink& link, const LaunchPlace& place, bool may_wait,
                std::uint64_t deadline);

/// Before the launch of a graph whose cost is wanted; few are timed. end_timing is in gate.h.
void begin_timing(const GateLink& link, const LaunchPlace& place);

/// In the child of a fork: events of the parent are not the child's.
void forget_queues();

}  // namespace tactus::agent
