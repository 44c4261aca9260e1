#pragma once

#include <vector>

#include "cycles/wanted_slices.h"
#include "run/event_view.h"
#include "run/run.h"

namespace tactus {

/// Which events of a run an export writes: those that are wanted. Captures are left out: they are
/// not part of the run.
class ExportedEvents {
 public:
  ExportedEvents(const Run& run, const WantedSlices& wanted);

  bool takes_slice(const EventView& slice) const {
    return is_on_track(slice) && wanted_.filter.takes(slice.start_ns) &&
           wanted_.has_slice(slice.row);
  }
  /// An instant or a flow point.
  bool takes_point(const EventView& point) const {
    return is_on_track(point) && times_.takes(point.start_ns);
  }
  bool takes_sample(std::int64_t time_ns) const { return times_.takes(time_ns); }
  /// Whether a process is one of the run itself, so that its name is written.
  bool has(ProcessId process) const;

 private:
  bool is_on_track(const EventView& event) const {
    return (event.track >= tracks_.size() || tracks_[event.track]) &&
           !run_.is_captured(event.category);
  }

  const Run& run_;
  const WantedSlices& wanted_;
  WantedTimes times_;
  std::vector<bool> tracks_;
};

}  // namespace tactus
