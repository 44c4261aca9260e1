#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "run/builder.h"
#include "sources/nsys/database/rows.h"

namespace tactus::nsys {

/// A globalTid packs machine, process and thread (16, 24 and 24 bits); a globalPid has thread 0.
constexpr std::int64_t pid_of(std::int64_t global) {
  return global >> 24 & 0xFFFFFF;
}
constexpr std::int64_t tid_of(std::int64_t global) {
  return global & 0xFFFFFF;
}

/// For events whose place the database does not give.
inline constexpr std::int64_t kUnknownThread = INT64_MIN;
/// The stream of synchronisation that is not about one stream.
inline constexpr std::int64_t kNoStream = 4294967295;

/// Gives the events of the database their tracks.
///
/// Host threads are in a process with their pid. Device work is, as in Kineto, in a process with
/// the number of the device, on a thread with the number of the stream. If several processes used
/// the devices, their work is separated: "GPU 0 (4711)".
class Tracks {
 public:
  Tracks(RunBuilder& builder, bool several_processes)
      : builder_(builder), several_processes_(several_processes) {}

  TrackId thread(std::int64_t global_tid) {
    if (global_tid != last_tid_ || !last_thread_track_.valid()) {
      last_tid_ = global_tid;
      last_thread_track_ = find_thread_track(global_tid);
    }
    return last_thread_track_;
  }
  TrackId stream(std::int64_t pid, std::int64_t device, std::int64_t stream) {
    const StreamKey key(pid, device, stream);
    if (key != last_stream_ || !last_stream_track_.valid()) {
      last_stream_ = key;
      last_stream_track_ = find_stream_track(key);
    }
    return last_stream_track_;
  }
  /// For allocations of device memory; only their process is known.
  TrackId device_memory(std::int64_t pid);

  bool has_process(std::int64_t pid) const;
  void name_process(std::int64_t pid, StringId name);
  void name_thread(std::int64_t global_tid, StringId name);

 private:
  using StreamKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // pid, device, stream

  TrackId find_thread_track(std::int64_t global_tid);
  TrackId find_stream_track(const StreamKey& key);
  TrackId make_stream_track(const StreamKey& key);
  ProcessId process(std::int64_t pid, Ident ident);

  RunBuilder& builder_;
  bool several_processes_;
  std::unordered_map<std::int64_t, TrackId> thread_tracks_;
  std::map<StreamKey, TrackId> stream_tracks_;
  std::set<std::pair<std::int64_t, ProcessId>> processes_;  ///< by pid, those of devices too

  std::int64_t last_tid_ = 0;
  TrackId last_thread_track_;
  StreamKey last_stream_;
  TrackId last_stream_track_;
};

/// True if the device tables hold work of more than one process.
bool devices_served_several_processes(const Tables& tables);

}  // namespace tactus::nsys
