#include "sources/nsys/database/tracks.h"

#include <optional>
#include <string>

namespace tactus::nsys {

ProcessId Tracks::process(std::int64_t pid, Ident ident) {
  const ProcessId process = builder_.process(ident);
  processes_.emplace(pid, process);
  return process;
}

TrackId Tracks::find_thread_track(std::int64_t global_tid) {
  const auto [at, is_new] = thread_tracks_.try_emplace(global_tid);
  if (!is_new) return at->second;
  ThreadId thread;
  if (global_tid == kUnknownThread) {
    const Ident unknown = builder_.ident("unknown");
    thread = builder_.thread(builder_.process(unknown), unknown);
  } else {
    thread = builder_.thread(process(pid_of(global_tid), builder_.ident(pid_of(global_tid))),
                             builder_.ident(tid_of(global_tid)));
  }
  return at->second = builder_.track(thread, false);
}

TrackId Tracks::device_memory(std::int64_t pid) {
  const ThreadId thread =
      builder_.thread(process(pid, builder_.ident(pid)), builder_.ident("device memory"));
  return builder_.track(thread, false);
}

TrackId Tracks::find_stream_track(const StreamKey& key) {
  const auto [at, is_new] = stream_tracks_.try_emplace(key);
  if (is_new) at->second = make_stream_track(key);
  return at->second;
}

TrackId Tracks::make_stream_track(const StreamKey& key) {
  const auto [pid, device, stream] = key;
  const std::string gpu = "GPU " + std::to_string(device);
  const ProcessId owner =
      process(pid, several_processes_ ? builder_.ident(gpu + " (" + std::to_string(pid) + ")")
                                      : builder_.ident(device));
  builder_.run().processes[owner.value].labels = builder_.intern(gpu);
  const bool has_stream = stream != kNoStream;
  const ThreadId thread =
      builder_.thread(owner, has_stream ? builder_.ident(stream) : builder_.ident("no stream"));
  const TrackId id = builder_.track(thread, true);
  Track& track = builder_.run().tracks[id.value];
  track.device_index = device;
  if (has_stream) {
    track.stream = stream;
    builder_.run().threads[thread.value].name = builder_.intern("stream " + std::to_string(stream));
  }
  return id;
}

bool Tracks::has_process(std::int64_t pid) const {
  const auto at = processes_.lower_bound({pid, ProcessId(0)});
  return at != processes_.end() && at->first == pid;
}

void Tracks::name_process(std::int64_t pid, StringId name) {
  const auto first = processes_.lower_bound({pid, ProcessId(0)});
  for (auto at = first; at != processes_.end() && at->first == pid; ++at) {
    builder_.run().processes[at->second.value].name = name;
  }
}

void Tracks::name_thread(std::int64_t global_tid, StringId name) {
  const auto at = thread_tracks_.find(global_tid);
  if (at == thread_tracks_.end()) return;
  const Track& track = builder_.run().tracks[at->second.value];
  builder_.run().threads[track.thread.value].name = name;
}

bool devices_served_several_processes(const Tables& tables) {
  static constexpr std::string_view kColumn = "globalPid";
  std::optional<std::int64_t> first;
  for (const std::string_view table :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"}) {
    if (!tables.schema.has(table, kColumn)) continue;
    Result<SqliteStatement> rows =
        tables.database.prepare(tables.schema.select(table, {&kColumn, 1}));
    while (rows && rows->next()) {
      if (rows->is_null(0)) continue;
      const std::int64_t pid = pid_of(rows->integer(0));
      if (pid != first.value_or(pid)) return true;
      first = pid;
    }
  }
  return false;
}

}  // namespace tactus::nsys
