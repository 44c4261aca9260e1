#include <algorithm>
#include <vector>

#include "base/arithmetic.h"
#include "cycles/cycle_contents.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// The windows of one loop.
class LoopTimes {
 public:
  LoopTimes(std::span<const DeviceSpan> spans, std::span<CycleWindow> windows)
      : spans_(spans), windows_(windows) {}

  void settle(bool are_layers) {
    if (windows_.front().end_kernel != 0) return;  // they were found on the device
    if (windows_.size() == 1) {
      stretch_only_one();
      return;
    }
    // The device is always this much behind the host; so it would be in the step after the last.
    const std::int64_t lag = are_layers ? 0 : smallest_lag();
    move_starts();
    const double usual = are_layers ? 0 : usual_period();
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      CycleWindow& window = windows_[i];
      const bool is_last = i + 1 == windows_.size();
      if (!is_last && window.is_silent_behind) {
        end_before_silence(i);
        continue;
      }
      if (window.is_silent_behind) window.to_ns = window.named_to_ns;
      // The host may just wait for the device: a pause counts only if the device has nothing to do.
      const bool pauses = !is_last && (are_layers ? gap_behind(i) >= 0
                                                  : is_pause(gap_behind(i), usual, on_device(i)));
      if (pauses) window.to_ns = window.usual_to_ns;
      std::int64_t end = spans_[i].empty() ? window.to_ns : spans_[i].end_ns;
      if (!are_layers) end = std::max(end, wrapping_add(window.to_ns, lag));
      if (!is_last) {
        const std::int64_t next = windows_[i + 1].start_ns;
        end = pauses ? std::min(end, next) : next;
      }
      window.end_ns = std::max(window.start_ns, end);
    }
  }

 private:
  /// Without a period to compare with, a step is all its work on either side. Only the device
  /// counts if it was still busy with other work when the host was done.
  void stretch_only_one() {
    CycleWindow& window = windows_.front();
    const DeviceSpan& span = spans_.front();
    if (span.empty()) return;
    const bool is_ahead = span.start_ns >= window.end_ns;
    window.start_ns = is_ahead ? span.start_ns : std::min(window.start_ns, span.start_ns);
    window.end_ns = std::max(window.end_ns, span.end_ns);
  }

  /// Of the time until the next step's first work, what passed between the steps on the host while
  /// the device had nothing to do belongs to neither. What the host does before it launches that
  /// work does.
  void end_before_silence(std::size_t i) {
    CycleWindow& window = windows_[i];
    const CycleWindow& next = windows_[i + 1];
    const std::int64_t silence = wrapping_subtract(next.from_ns, window.named_to_ns);
    const std::int64_t busy_until = spans_[i].empty() ? window.start_ns : spans_[i].end_ns;
    const std::int64_t end = std::max(busy_until, wrapping_subtract(next.start_ns, silence));
    window.end_ns = std::max(window.start_ns, std::min(end, next.start_ns));
  }

  std::int64_t smallest_lag() const {
    std::int64_t lag = INT64_MAX;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (spans_[i].empty()) continue;
      lag = std::min(lag, wrapping_subtract(spans_[i].start_ns, windows_[i].from_ns));
    }
    return lag == INT64_MAX ? 0 : std::max<std::int64_t>(lag, 0);
  }

  void move_starts() {
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (!spans_[i].empty()) windows_[i].start_ns = spans_[i].start_ns;
      if (i == 0) continue;
      windows_[i].start_ns = std::max(windows_[i].start_ns, windows_[i - 1].start_ns);
    }
  }

  std::int64_t gap_behind(std::size_t i) const {
    const std::int64_t end = spans_[i].empty() ? windows_[i].start_ns : spans_[i].end_ns;
    return wrapping_subtract(windows_[i + 1].start_ns, end);
  }

  std::int64_t on_device(std::size_t i) const {
    return spans_[i].empty() ? 0 : wrapping_subtract(spans_[i].end_ns, spans_[i].start_ns);
  }

  double usual_period() const {
    std::vector<std::int64_t> periods;
    for (std::size_t i = 1; i < windows_.size(); ++i) {
      periods.push_back(wrapping_subtract(windows_[i].start_ns, windows_[i - 1].start_ns));
    }
    return quantile(periods, 0.5);
  }

  std::span<const DeviceSpan> spans_;
  std::span<CycleWindow> windows_;
};

}  // namespace

void settle_times(std::span<const DeviceSpan> spans, bool are_layers,
                  std::span<CycleWindow> windows) {
  for (std::size_t first = 0; first < windows.size();) {
    std::size_t end = first;
    while (end < windows.size() && windows[end].loop == windows[first].loop) ++end;
    LoopTimes(spans.subspan(first, end - first), windows.subspan(first, end - first))
        .settle(are_layers);
    first = end;
  }
}

}  // namespace tactus
