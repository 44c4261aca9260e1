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

/// Whether the rows of matrix products are wanted.
bool asks_for_rows(const GateLink* link);

/// Around a call of a library that multiplies matrices. Its launches after the first follow that
/// one, and so are never held; all launches up to the next product have the rows of this one.
class GateProduct {
 public:
  /// 0: not a product with weights, or not known. Then the rows stay those of the last one.
  explicit GateProduct(std::uint64_t rows) {
    if (joined.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      begin(rows);
  }
  ~GateProduct() {
    if (is_begun_) [[unlikely]]
      end();
  }
  GateProduct(const GateProduct&) = delete;
  GateProduct& operator=(const GateProduct&) = delete;

 private:
  void begin(std::uint64_t rows);
  void end();

  bool is_begun_ = false;
};

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
