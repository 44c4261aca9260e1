#include "run/filter.h"

#include "run/identity.h"

namespace tactus {
namespace {

const Process& process_of(const Run& run, const Track& track) {
  return run.processes[run.threads[track.thread.value].process.value];
}

}  // namespace

std::optional<std::int64_t> host_pid(const Run& run, SourceId source) {
  std::optional<std::int64_t> pid;
  for (const Track& track : run.tracks) {
    const Process& process = process_of(run, track);
    if (track.on_device || process.source != source || process.pid.is_text) continue;
    if (!process.os_pid || *process.os_pid < 0) continue;  // Kineto puts its overhead at -1
    if (pid && *pid != *process.os_pid) return std::nullopt;
    pid = process.os_pid;
  }
  return pid;
}

std::vector<bool> wanted_tracks(const Run& run, const SliceFilter& filter) {
  std::vector<bool> wanted;
  for (const Track& track : run.tracks) {
    const Process& process = process_of(run, track);
    bool is_wanted = true;
    if (filter.device) is_wanted &= device_number(run, track) == filter.device;
    if (filter.stream) is_wanted &= track.stream == filter.stream;
    if (filter.rank) is_wanted &= process.rank == filter.rank;
    if (filter.pid) {
      // "GPU 0 (4711)" names its owner; a plain device number does not.
      const bool names_owner = !track.on_device || process.pid.is_text;
      const std::optional<std::int64_t> owner =
          names_owner ? process.os_pid : host_pid(run, process.source);
      is_wanted &= owner == filter.pid;
    }
    wanted.push_back(is_wanted);
  }
  return wanted;
}

}  // namespace tactus
