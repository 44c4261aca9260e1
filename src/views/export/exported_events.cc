#include "views/export/exported_events.h"

namespace tactus {

ExportedEvents::ExportedEvents(const Run& run, const WantedSlices& wanted)
    : run_(run), wanted_(wanted), times_(wanted), tracks_(wanted_tracks(run, wanted.filter)) {}

bool ExportedEvents::has(ProcessId process) const {
  const SourceId source = run_.processes[process.value].source;
  return source.value >= run_.sources.size() || !run_.sources[source.value].is_capture;
}

}  // namespace tactus
