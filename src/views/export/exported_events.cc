#include "views/export/exported_events.h"

namespace tactus {

ExportedEvents::ExportedEvents(const Run& run, const SliceFilter& filter)
    : run_(run), filter_(filter), tracks_(wanted_tracks(run, filter)) {}

bool ExportedEvents::has(ProcessId process) const {
  const SourceId source = run_.processes[process.value].source;
  return source.value >= run_.sources.size() || !run_.sources[source.value].is_capture;
}

}  // namespace tactus
