#include "run/filter.h"

#include "run/identity.h"

namespace tactus {
namespace {

const Process& process_of(const Run& run, const Track& track) {
  return run.processes[run.threads[track.thread.value].process.value];
}

}  // namespace

std::vector<std::optional<std::int64_t>> host_pids(const Run& run) {
  std::vector<std::optional<std::int64_t>> pids(run.sources.size());
  std::vector<bool> has_several(run.sources.size(), false);
  for (const Track& track : run.tracks) {
    const Process& process = process_of(run, track);
    if (track.on_device || process.pid.is_text) continue;
    if (!process.os_pid || *process.os_pid < 0) continue;  // Kineto puts its overhead at -1
    std::optional<std::int64_t>& pid = pids[process.source.value];
    if (pid && *pid != *process.os_pid) has_several[process.source.value] = true;
    pid = process.os_pid;
  }
  for (std::size_t source = 0; source < pids.size(); ++source) {
    if (has_several[source]) pids[source].reset();
  }
  return pids;
}

std::vector<bool> wanted_tracks(const Run& run, const SliceFilter& filter) {
  std::vector<bool> wanted;
  const std::vector<std::optional<std::int64_t>> pids = host_pids(run);
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
          names_owner ? process.os_pid : pids[process.source.value];
      is_wanted &= owner == filter.pid;
    }
    wanted.push_back(is_wanted);
  }
  return wanted;
}

}  // namespace tactus
