#pragma once

#include <vector>

#include "run/event_view.h"
#include "run/filter.h"
#include "run/run.h"

namespace tactus {

/// Which events of a run an export writes: those that the filter takes. Captures are left out: they
/// are not part of the run.
class ExportedEvents {
 public:
  ExportedEvents(const Run& run, const SliceFilter& filter);

  bool takes(const EventView& event) const {
    const bool on_track = event.track >= tracks_.size() || tracks_[event.track];
    return on_track && filter_.takes(event.start_ns) && !run_.is_captured(event.category);
  }
  bool takes_sample(std::int64_t time_ns) const { return filter_.takes(time_ns); }
  /// Whether a process is one of the run itself, so that its name is written.
  bool has(ProcessId process) const;

 private:
  const Run& run_;
  const SliceFilter& filter_;
  std::vector<bool> tracks_;
};

}  // namespace tactus
