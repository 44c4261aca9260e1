// When the kernels of a recording were ready, ran and were done, by process.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gate/replay/launch_trace.h"

namespace tactus::gate {

struct KernelSpan {
  std::size_t kernel = 0;  ///< of LaunchTrace::kernels
  std::uint32_t process = 0;
  std::uint32_t stream = 0;
  std::size_t place = 0;       ///< the same for the same kernel of another unit of the thread
  std::int64_t launch_ns = 0;  ///< end of the call
  std::int64_t ready_ns = 0;   ///< launched, and all before it in the stream are done
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  bool was_queued() const { return ready_ns > launch_ns; }
};

/// Sorted, and apart from each other.
class Intervals {
 public:
  using One = std::pair<std::int64_t, std::int64_t>;

  explicit Intervals(std::vector<One> of = {});
  /// How much of [begin, end] lies in them.
  std::int64_t overlap(std::int64_t begin, std::int64_t end) const;
  bool has(std::int64_t at) const { return end_of(at) > at; }
  /// The end of the one that `at` lies in, or `at`.
  std::int64_t end_of(std::int64_t at) const;
  Intervals common(const Intervals& other) const;
  std::int64_t length() const { return before_.empty() ? 0 : before_.back() + last_length(); }
  std::span<const One> all() const { return all_; }

 private:
  std::int64_t last_length() const { return all_.back().second - all_.back().first; }

  std::vector<One> all_;
  std::vector<std::int64_t> before_;  ///< length of all in front of this one
};

/// By the order of their streams, then by time.
std::vector<KernelSpan> kernel_spans(const LaunchTrace& trace);
/// When processes had work: those for which `is_meant` is true.
template <typename IsMeant>
Intervals busy_times(std::span<const KernelSpan> spans, IsMeant is_meant) {
  std::vector<Intervals::One> times;
  for (const KernelSpan& span : spans) {
    if (is_meant(span.process)) times.emplace_back(span.ready_ns, span.end_ns);
  }
  return Intervals(std::move(times));
}

}  // namespace tactus::gate
