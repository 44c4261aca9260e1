#include "measure/trace_work.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/arithmetic.h"
#include "names/function_type.h"
#include "run/event_view.h"
#include "run/host_track.h"

namespace tactus {
namespace {

Part copy_part(std::string_view name) {
  if (name.find("HtoD") != std::string_view::npos) return Part::kCopyToDevice;
  if (name.find("DtoH") != std::string_view::npos) return Part::kCopyFromDevice;
  return Part::kCopyOnDevice;
}

/// Calls that wait for another thread.
bool is_lock(SliceKind kind, std::string_view name) {
  if (kind != SliceKind::kOsRuntime && kind != SliceKind::kOther) return false;
  for (const std::string_view call :
       {"pthread_mutex_lock", "pthread_cond_wait", "pthread_cond_timedwait", "sem_wait", "futex"}) {
    if (name == call) return true;
  }
  return false;
}

/// The part of idle time that a host slice accounts for; nothing for slices that say nothing.
std::optional<Part> part_of_call(SliceKind kind, std::string_view category, std::string_view name) {
  if (is_lock(kind, name)) return Part::kLock;
  switch (function_type_of(kind, category, name)) {
    case FunctionType::kCpuLaunch: return Part::kLaunching;
    case FunctionType::kCpuSync: return Part::kWaitCall;
    case FunctionType::kCpuCopy: return Part::kCopyCall;
    case FunctionType::kDisk: return Part::kDisk;
    case FunctionType::kRunQueue: return Part::kNotOnCore;
    default: return std::nullopt;
  }
}

/// The same by category and name, found once.
class PartsOfCalls {
 public:
  explicit PartsOfCalls(const Run& run) : run_(run), known_(run.categories.size()) {}

  std::optional<Part> of(std::size_t category, std::size_t name) {
    std::vector<std::uint8_t>& known = known_[category];
    if (known.empty()) known.resize(run_.strings.size(), kNot);
    if (name >= known.size()) return std::nullopt;
    if (known[name] == kNot) {
      const Category& facts = run_.categories[category];
      const std::optional<Part> part =
          part_of_call(facts.kind, run_.strings[facts.name],
                       run_.strings[StringId(static_cast<std::uint64_t>(name))]);
      known[name] = part ? static_cast<std::uint8_t>(*part) : kNone8;
    }
    return known[name] == kNone8 ? std::nullopt : std::optional(static_cast<Part>(known[name]));
  }

 private:
  static constexpr std::uint8_t kNot = 255;
  static constexpr std::uint8_t kNone8 = 254;
  const Run& run_;
  std::vector<std::vector<std::uint8_t>> known_;
};

/// Kernels, graphs, copies and fills; function types have the same word for theirs.
bool runs_for_a_device(SliceKind kind) {
  return is_device_work(kind);
}

bool is_host_kind(SliceKind kind) {
  return kind == SliceKind::kRuntime || kind == SliceKind::kDriver ||
         kind == SliceKind::kOsRuntime || kind == SliceKind::kOther;
}

/// In the order of time, the outer call first; those that begin inside another are left out.
void keep_outer_calls(std::vector<HostCall>& calls) {
  std::stable_sort(calls.begin(), calls.end(), [](const HostCall& a, const HostCall& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  std::size_t kept = 0;
  for (const HostCall& call : calls) {
    if (kept > 0 && call.start_ns < calls[kept - 1].end_ns) continue;
    calls[kept++] = call;
  }
  calls.resize(kept);
}

/// What the operating system says about a thread is more exact than the call that it is in: a part
/// of a launch without a core is not launching. Waits are a part of calls that wait.
bool cuts_into(Part system, Part call) {
  if (system == Part::kNotOnCore) return true;
  return call != Part::kWaitCall;
}

/// Calls of a thread (sorted, not overlapping) with what the operating system did (the same) put in
/// between.
std::vector<HostCall> put_between(const std::vector<HostCall>& calls,
                                  const std::vector<HostCall>& system) {
  std::vector<HostCall> merged;
  std::size_t next = 0;
  const auto add = [&](std::int64_t from, std::int64_t to, Part part) {
    if (to > from) merged.push_back({from, to, part});
  };
  std::int64_t done = INT64_MIN;  // all before this is in `merged`
  for (const HostCall& call : calls) {
    std::int64_t from = std::max(call.start_ns, done);
    for (; next < system.size() && system[next].start_ns < call.end_ns; ++next) {
      const HostCall& piece = system[next];
      const bool is_before = piece.end_ns <= call.start_ns;
      if (!is_before && !cuts_into(piece.part, call.part)) {
        add(std::max(piece.start_ns, done), std::min(piece.end_ns, from), piece.part);
        if (piece.end_ns > call.end_ns) break;  // the rest is behind this call
        continue;
      }
      const std::int64_t start = std::max(piece.start_ns, done);
      add(from, std::min(start, call.end_ns), call.part);
      add(start, piece.end_ns, piece.part);
      done = std::max(done, piece.end_ns);
      from = std::max(from, done);
    }
    add(from, call.end_ns, call.part);
    done = std::max(done, call.end_ns);
  }
  for (; next < system.size(); ++next) {
    add(std::max(system[next].start_ns, done), system[next].end_ns, system[next].part);
  }
  return merged;
}

/// Gives what host tracks say (run/host_track.h) to the tracks of the threads themselves.
void join_host_tracks(const Run& run, HostCalls& found) {
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> tracks;  // process, tid: track
  for (std::uint32_t i = 0; i < run.tracks.size(); ++i) {
    const Thread& thread = run.threads[run.tracks[i].thread.value];
    if (run.tracks[i].on_device || thread.tid.is_text || found.thread_of_track[i] == kNoIndex) {
      continue;
    }
    tracks.try_emplace({thread.process.value, thread.tid.value}, i);
  }
  for (std::uint32_t i = 0; i < run.tracks.size(); ++i) {
    const Thread& thread = run.threads[run.tracks[i].thread.value];
    if (!thread.tid.is_text || found.thread_of_track[i] == kNoIndex) continue;
    const StringId text(static_cast<std::uint64_t>(thread.tid.value));
    const std::optional<std::int64_t> tid = thread_of_host_track(run.strings[text]);
    if (!tid) continue;
    const auto own = tracks.find({thread.process.value, *tid});
    if (own == tracks.end()) continue;
    std::vector<HostCall>& calls = found.threads[found.thread_of_track[own->second]];
    calls = put_between(calls, found.threads[found.thread_of_track[i]]);
  }
}

/// Adds what the host communicates: it counts as a collective, as kernels of one would.
void add_host_collectives(const Run& run, std::span<const std::uint32_t> rank_of_process,
                          std::vector<RankWork>& found) {
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut, may_be_host_collective,
      std::array{&slices.name(), &slices.track(), &slices.start(), &slices.dur()},
      [&](std::size_t, SliceKind, const auto& values) {
        const auto [name, track, start, dur] = values;
        if (static_cast<std::size_t>(track) >= run.tracks.size()) return;
        const StringId id(static_cast<std::uint64_t>(name));
        if (!is_host_collective(run.strings[id])) return;
        const std::uint32_t process = process_of_track(run, static_cast<std::uint32_t>(track));
        if (rank_of_process[process] == kNoIndex) return;
        found[rank_of_process[process]].pieces.push_back({.start_ns = start,
                                                          .end_ns = wrapping_add(start, dur),
                                                          .part = part_of(Family::kCollective),
                                                          .by_host = true});
      });
}

/// Ranks of a job grow together: without this, half of their room would stay unused.
void reserve_pieces(const Loops& loops, std::span<const std::uint32_t> rank_of_process,
                    std::vector<RankWork>& found) {
  std::vector<std::size_t> counts(found.size(), 0);
  for (const DeviceItem& item : loops.work) {
    const std::uint32_t rank = rank_of_process[loops.loops[item.loop].process];
    if (rank != kNoIndex) ++counts[rank];
  }
  for (std::size_t rank = 0; rank < found.size(); ++rank) found[rank].pieces.reserve(counts[rank]);
}

bool starts_earlier(const DevicePiece& a, const DevicePiece& b) {
  return a.start_ns < b.start_ns;
}

}  // namespace

bool may_be_host_collective(SliceKind kind) {
  return kind == SliceKind::kAnnotation || kind == SliceKind::kCpuOp;
}

bool is_host_collective(std::string_view name) {
  return name.starts_with("gloo:") || name.starts_with("mpi:") || name.starts_with("ucc:");
}

Part PartsOfNames::of(SliceKind kind, std::uint32_t name) {
  if (kind == SliceKind::kMemset) return Part::kFill;
  if (kind == SliceKind::kGraph || name >= known_.size()) return part_of(Family::kOther);
  std::uint8_t& known = known_[name];
  if (known == kNot) {
    const Part part = kind == SliceKind::kMemcpy ? copy_part(run_.strings[StringId(name)])
                                                 : part_of(names_.of(name).family);
    known = static_cast<std::uint8_t>(part);
  }
  return static_cast<Part>(known);
}

HostCalls read_host_calls(const Run& run,
                          const std::function<void(std::size_t, Part, std::int64_t)>& each) {
  HostCalls found;
  found.thread_of_track.assign(run.tracks.size(), kNoIndex);
  PartsOfCalls parts(run);
  const EventTable& slices = run.slices;
  for_each_slice(run, Captures::kLeaveOut, is_host_kind,
                 std::array{&slices.category(), &slices.name(), &slices.track(), &slices.start(),
                            &slices.dur()},
                 [&](std::size_t row, SliceKind, const auto& values) {
                   const auto [category, name, track, start, dur] = values;
                   const std::optional<Part> part =
                       parts.of(static_cast<std::size_t>(category), static_cast<std::size_t>(name));
                   if (!part || static_cast<std::size_t>(track) >= run.tracks.size()) return;
                   if (each) each(row, *part, dur);
                   std::uint32_t& thread = found.thread_of_track[static_cast<std::size_t>(track)];
                   if (thread == kNoIndex) {
                     thread = static_cast<std::uint32_t>(found.threads.size());
                     found.threads.emplace_back();
                     found.track_of_thread.push_back(static_cast<std::uint32_t>(track));
                   }
                   found.threads[thread].push_back({start, wrapping_add(start, dur), *part});
                 });
  for (std::vector<HostCall>& calls : found.threads) {
    keep_outer_calls(calls);
    calls.shrink_to_fit();  // of thousands of threads: half of their room would stay unused
  }
  join_host_tracks(run, found);
  return found;
}

std::vector<RankWork> read_device_work(
    const Run& run, const Loops& loops, const HostCalls& calls,
    std::span<const std::uint32_t> rank_of_process, std::size_t ranks, PartsOfNames& parts,
    const std::function<void(std::size_t, const DevicePiece&)>& each) {
  std::vector<std::uint32_t> call_of(run.slices.size(), kNoIndex);
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) { call_of[work] = call; });
  std::vector<RankWork> found(ranks);
  reserve_pieces(loops, rank_of_process, found);
  const EventTable& slices = run.slices;
  std::size_t next = 0;
  for_each_slice(run, Captures::kLeaveOut, runs_for_a_device,
                 std::array{&slices.name(), &slices.track()},
                 [&](std::size_t row, SliceKind kind, const auto& values) {
                   while (next < loops.work.size() && loops.work[next].row < row) ++next;
                   if (next == loops.work.size() || loops.work[next].row != row) return;
                   const DeviceItem& item = loops.work[next];
                   const std::uint32_t rank = rank_of_process[loops.loops[item.loop].process];
                   if (rank == kNoIndex) return;
                   DevicePiece piece{.start_ns = item.start_ns, .end_ns = item.end_ns};
                   piece.part = parts.of(kind, static_cast<std::uint32_t>(values[0]));
                   if (call_of[row] != kNoIndex) {
                     const std::uint32_t call = call_of[row];
                     const auto track = static_cast<std::size_t>(slices.track()[call]);
                     piece.call_start_ns = slices.start()[call];
                     piece.call_end_ns = wrapping_add(piece.call_start_ns, slices.dur()[call]);
                     if (track < calls.thread_of_track.size())
                       piece.thread = calls.thread_of_track[track];
                   }
                   const auto track = static_cast<std::size_t>(values[1]);
                   if (!found[rank].device.valid() && track < run.tracks.size()) {
                     found[rank].device = run.tracks[track].device;
                   }
                   if (each) each(row, piece);
                   found[rank].pieces.push_back(piece);
                 });
  add_host_collectives(run, rank_of_process, found);
  for (RankWork& work : found) {
    if (!std::is_sorted(work.pieces.begin(), work.pieces.end(), starts_earlier)) {
      std::stable_sort(work.pieces.begin(), work.pieces.end(), starts_earlier);
    }
  }
  return found;
}

}  // namespace tactus
