// Where a launch may have to wait. See docs/gate.md; everything here fails to open.
#pragma once

#include <atomic>

#include "record/agent/driver.h"
#include "wire/gate.h"

namespace tactus::agent {

/// The word that says whether anything is held. Never null: without a broker it is one of our own.
extern std::atomic<const std::atomic<std::uint32_t>*> gate_word;

struct GateLink;
/// What this process has of a broker; null if it has none.
extern std::atomic<GateLink*> joined;

/// Leaves a broker that has given no sign of life: one that holds nothing is not met at a launch.
void watch_broker(const GateLink* link);

/// A launch while some class is held or counted, or while a broker is looked for.
void wait_at_gate(Handle function, Handle stream, bool per_thread, bool is_graph);

/// Whether there are cores enough to wait without sleeping.
bool may_spin();

/// After a graph launch that is timed.
void end_timing();

/// Every launch comes by. `function` is null for a graph.
inline void pass_gate(Handle function, Handle stream, bool per_thread, bool is_graph) {
  const std::uint32_t word =
      gate_word.load(std::memory_order_acquire)->load(std::memory_order_acquire);
  if ((word & wire::kGateBusyBits) != 0) [[unlikely]]
    wait_at_gate(function, stream, per_thread, is_graph);
}

/// Around a call that waits for the device: what was launched before it is done after it.
class GateWait {
 public:
  explicit GateWait(bool waits) {
    if (!waits) return;
    if (const GateLink* link = joined.load(std::memory_order_acquire)) [[unlikely]]
      watch_broker(link);
    if ((gate_word.load(std::memory_order_acquire)->load(std::memory_order_relaxed) &
         wire::kGateBusyBits) != 0) [[unlikely]]
      begin();
  }
  ~GateWait() {
    if (is_begun_) [[unlikely]]
      end();
  }
  GateWait(const GateWait&) = delete;
  GateWait& operator=(const GateWait&) = delete;

 private:
  void begin();
  void end();

  bool is_begun_ = false;
  std::uint64_t submitted_[wire::kGateClasses];
};

}  // namespace tactus::agent
