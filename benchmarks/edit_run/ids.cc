#include "edit_run/ids.h"

#include <string>

#include "cycles/passes/loops.h"

namespace tactus::edit_run {
namespace {

/// "GPU 0 (4711)" with another number.
void change_pid(Run& run, Process& process) {
  if (!process.os_pid || *process.os_pid <= 0) return;
  const std::int64_t new_pid = *process.os_pid + kPidsApart;
  if (process.pid.is_text) {
    std::string text(run.strings[StringId(static_cast<std::uint64_t>(process.pid.value))]);
    const std::string digits = std::to_string(*process.os_pid);
    const std::size_t at = text.rfind(digits);
    if (at == std::string::npos) return;
    text.replace(at, digits.size(), std::to_string(new_pid));
    process.pid.value = run.strings.intern(text).value;
  } else {
    process.pid.value = new_pid;
  }
  process.os_pid = new_pid;
}

void change_tid(std::int64_t shift, Thread& thread) {
  if (!thread.tid.is_text && thread.tid.value > 0) thread.tid.value += shift;
}

}  // namespace

void change_ids(Run& run) {
  std::vector<bool> is_device(run.processes.size(), false);
  std::vector<bool> is_stream(run.threads.size(), false);
  for (std::uint32_t i = 0; i < run.tracks.size(); ++i) {
    Track& track = run.tracks[i];
    if (!track.on_device) continue;
    is_device[process_of_track(run, i)] = true;
    is_stream[track.thread.value] = true;
    if (track.stream && *track.stream >= 0) *track.stream += kStreamsApart;
  }
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    // The pid of a device is often its number.
    if (!is_device[i] || run.processes[i].pid.is_text) change_pid(run, run.processes[i]);
  }
  for (std::size_t i = 0; i < run.threads.size(); ++i) {
    change_tid(is_stream[i] ? kStreamsApart : kPidsApart, run.threads[i]);
  }
}

std::int64_t id_shift(std::string_view key) {
  if (key == "correlation" || key == "External id") return kCorrelationsApart;
  return key == "stream" ? kStreamsApart : 0;
}

}  // namespace tactus::edit_run
