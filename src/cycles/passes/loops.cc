#include "cycles/passes/loops.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/arithmetic.h"
#include "run/event_view.h"

namespace tactus {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

struct LaunchLink {
  std::uint32_t call = 0;
  std::uint32_t work = 0;
};

/// Ascending by the work that was launched, as the run keeps them.
std::vector<LaunchLink> launch_links(const Run& run) {
  std::vector<LaunchLink> links;
  links.reserve(run.links.rows);
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
    links.push_back({call, work});
  });
  return links;
}

/// Device work with its process instead of its loop.
class WorkReader {
 public:
  WorkReader(const Run& run, const SliceFilter& filter)
      : run_(run),
        links_(launch_links(run)),
        kernels_of_track_(run.tracks.size(), 0),
        calls_of_track_(run.tracks.size()) {
    is_wanted_ = filter.limits_tracks() ? wanted_tracks(run, filter)
                                        : std::vector<bool>(run.tracks.size(), true);
    for (std::uint32_t track = 0; track < run.tracks.size(); ++track) {
      process_of_track_.push_back(process_of_track(run, track));
    }
  }

  void read() {
    work_.reserve(links_.size());
    const EventTable& slices = run_.slices;
    for_each_slice(run_, Captures::kLeaveOut, is_device_work,
                   std::array{&slices.track(), &slices.start(), &slices.dur()},
                   [&](std::size_t row, SliceKind kind, const auto& values) {
                     const auto track = static_cast<std::size_t>(values[0]);
                     if (track >= is_wanted_.size() || !is_wanted_[track]) return;
                     add(row, track, values[1], wrapping_add(values[1], values[2]),
                         kind == SliceKind::kKernel);
                   });
  }

  /// A light recording has the calls that launched kernels, and times of kernels only for a while,
  /// or none. Where others have kernels, a call without one was not followed.
  void read_untimed_launches() {
    const bool has_kernels = std::any_of(work_.begin(), work_.end(),
                                         [](const DeviceItem& item) { return item.is_kernel; });
    const bool is_ours = std::any_of(run_.sources.begin(), run_.sources.end(),
                                     [](const Source& source) { return source.kind == "tactus"; });
    if (has_kernels && !is_ours) return;
    std::vector<bool> has_times(run_.slices.size(), false);
    for (const LaunchLink& link : links_) has_times[link.call] = true;
    const EventTable& slices = run_.slices;
    for_each_slice(
        run_, Captures::kLeaveOut,
        [](SliceKind kind) { return kind == SliceKind::kDriver || kind == SliceKind::kRuntime; },
        std::array{&slices.track(), &slices.start(), &slices.name()},
        [&](std::size_t row, SliceKind, const auto& values) {
          const auto track = static_cast<std::size_t>(values[0]);
          if (track >= is_wanted_.size() || !is_wanted_[track] || has_times[row]) return;
          if (!launches(row, values[2])) return;
          untimed_of_[process_of_track_[track]].push_back(values[1]);
          ++kernels_of_track_[track];
        });
  }

  /// If no call is known, the work belongs to the process of the recording. On a stream with known
  /// calls, it was launched with the work before it; work before the first known call was launched
  /// before the recording.
  void settle_unknown_calls() {
    const std::vector<std::uint32_t> owners = owners_of_processes();
    std::optional<std::int64_t> before;
    for (DeviceItem& item : work_) {
      if (item.loop != kNone) continue;
      const auto track = static_cast<std::size_t>(run_.slices.track()[item.row]);
      item.loop = owners[process_of_track_[track]];
      if (calls_of_track_[track].first_row == kNone) continue;
      if (calls_of_track_[track].first_row < item.row) continue;  // as add() left it
      if (!before) before = wrapping_subtract(run_.span().value_or(TimeSpan{}).begin_ns, 1);
      item.at_ns = *before;
    }
  }

  Loops to_loops() {
    std::vector<std::uint32_t> loop_of(run_.processes.size(), kNone);
    std::vector<std::size_t> kernels_of(run_.processes.size(), 0);
    for (const DeviceItem& item : work_) {
      loop_of[item.loop] = 0;
      kernels_of[item.loop] += item.is_kernel ? 1 : 0;
    }
    for (const auto& [process, at] : untimed_of_) loop_of[process] = 0;
    Loops found;
    const std::vector<std::optional<std::uint32_t>> threads = loop_threads();
    for (std::uint32_t process = 0; process < loop_of.size(); ++process) {
      if (loop_of[process] == kNone) continue;
      loop_of[process] = static_cast<std::uint32_t>(found.loops.size());
      found.loops.push_back({.process = process,
                             .track = threads[process],
                             .is_relayed = is_relayed(process, threads[process])});
      found.loops.back().kernels_at_ns.reserve(kernels_of[process]);
    }
    for (DeviceItem& item : work_) {
      item.loop = loop_of[item.loop];
      if (item.is_kernel) found.loops[item.loop].kernels_at_ns.push_back(item.at_ns);
    }
    for (auto& [process, at] : untimed_of_) {
      Loop& loop = found.loops[loop_of[process]];
      loop.kernels_at_ns.insert(loop.kernels_at_ns.end(), at.begin(), at.end());
      loop.untimed_at_ns = std::move(at);
    }
    for (Loop& loop : found.loops) {
      for (std::vector<std::int64_t>* at : {&loop.kernels_at_ns, &loop.untimed_at_ns}) {
        if (!std::is_sorted(at->begin(), at->end())) std::sort(at->begin(), at->end());
      }
    }
    found.work = std::move(work_);
    return found;
  }

 private:
  /// A slice of the host that launches.
  struct Call {
    std::uint32_t row = kNone;
    std::size_t track = 0;
    std::int64_t start_ns = 0;
  };
  /// The known calls that launched the work of a track.
  struct Calls {
    std::uint32_t first_row = kNone;  ///< of the first piece of work whose call is known
    std::int64_t last_ns = 0;         ///< when the latest call came
  };

  void add(std::size_t row, std::size_t track, std::int64_t start, std::int64_t end,
           bool is_kernel) {
    DeviceItem item{.row = static_cast<std::uint32_t>(row),
                    .loop = kNone,
                    .start_ns = start,
                    .end_ns = end,
                    .at_ns = start,
                    .is_kernel = is_kernel};
    while (next_link_ < links_.size() && links_[next_link_].work < row) ++next_link_;
    const bool has_link = next_link_ < links_.size() && links_[next_link_].work == row;
    if (has_link && links_[next_link_].call != call_.row) look_at_call(links_[next_link_].call);
    Calls& calls = calls_of_track_[track];
    if (has_link && call_.track < process_of_track_.size() && call_.track != track) {
      item.at_ns = call_.start_ns;
      item.loop = process_of_track_[call_.track];
      if (calls.first_row == kNone) calls.first_row = item.row;
      calls.last_ns = call_.start_ns;
      if (is_kernel) ++kernels_of_track_[call_.track];
    } else if (calls.first_row != kNone) {
      item.at_ns = calls.last_ns;
    }
    work_.push_back(item);
  }

  /// Whether a call launched a kernel or a graph, and not into a graph that was captured.
  bool launches(std::size_t row, std::int64_t name) const {
    const std::string_view text = run_.strings[StringId(static_cast<std::uint64_t>(name))];
    if (!text.starts_with("cuLaunch") && !text.starts_with("cuGraphLaunch") &&
        !text.starts_with("cudaLaunch") && !text.starts_with("cudaGraphLaunch")) {
      return false;
    }
    const std::optional<Value> captured = run_.arg(run_.slices, row, "captured");
    return !captured || captured->raw == 0;
  }

  void look_at_call(std::uint32_t row) {
    call_ = {.row = row,
             .track = static_cast<std::size_t>(run_.slices.track()[row]),
             .start_ns = run_.slices.start()[row]};
  }

  /// By process: the thread that launches most kernels.
  std::vector<std::optional<std::uint32_t>> loop_threads() const {
    std::vector<std::optional<std::uint32_t>> threads(run_.processes.size());
    for (std::uint32_t track = 0; track < kernels_of_track_.size(); ++track) {
      std::optional<std::uint32_t>& thread = threads[process_of_track_[track]];
      const std::size_t most = thread ? kernels_of_track_[*thread] : 0;
      if (kernels_of_track_[track] > most) thread = track;
    }
    return threads;
  }

  /// What the others launch would be a fifth or more outside of the steps of this thread.
  bool is_relayed(std::uint32_t process, const std::optional<std::uint32_t>& thread) const {
    if (!thread) return false;
    std::size_t all = 0;
    for (std::uint32_t track = 0; track < kernels_of_track_.size(); ++track) {
      if (process_of_track_[track] == process) all += kernels_of_track_[track];
    }
    return (all - kernels_of_track_[*thread]) * 5 > all;
  }

  /// The host processes of a source: those without a device.
  struct Hosts {
    std::size_t count = 0;
    std::uint32_t most_launches = kNone;                        ///< the process that launches most
    std::unordered_map<std::int64_t, std::uint32_t> of_os_pid;  ///< the last one of each
  };

  std::vector<Hosts> hosts_of_sources(const std::vector<std::size_t>& launches) const {
    std::vector<bool> has_device(run_.processes.size(), false);
    for (std::size_t track = 0; track < run_.tracks.size(); ++track) {
      if (run_.tracks[track].on_device) has_device[process_of_track_[track]] = true;
    }
    std::vector<Hosts> hosts(run_.sources.size());
    for (std::uint32_t id = 0; id < run_.processes.size(); ++id) {
      const Process& process = run_.processes[id];
      if (has_device[id] || !process.os_pid || *process.os_pid < 0) continue;
      Hosts& of = hosts[process.source.value];
      ++of.count;
      of.of_os_pid[*process.os_pid] = id;
      if (of.most_launches == kNone || launches[id] > launches[of.most_launches]) {
        of.most_launches = id;
      }
    }
    return hosts;
  }

  /// By process: the owner of the work on a device of that process. "GPU 0 (4711)" names it;
  /// otherwise it is the process of the source that launches most, or its only host process.
  std::vector<std::uint32_t> owners_of_processes() const {
    std::vector<std::size_t> launches(run_.processes.size(), 0);
    for (std::size_t track = 0; track < run_.tracks.size(); ++track) {
      launches[process_of_track_[track]] += kernels_of_track_[track];
    }
    const std::vector<Hosts> hosts = hosts_of_sources(launches);
    std::vector<std::uint32_t> owners;
    for (std::uint32_t device = 0; device < run_.processes.size(); ++device) {
      const Process& process = run_.processes[device];
      const Hosts& of = hosts[process.source.value];
      std::uint32_t owner = device;
      if (process.pid.is_text && process.os_pid) {
        const auto named = of.of_os_pid.find(*process.os_pid);
        if (named != of.of_os_pid.end()) owner = named->second;
      } else if (of.count != 0) {
        const bool is_guess = of.count > 1 && launches[of.most_launches] == 0;
        if (!is_guess) owner = of.most_launches;
      }
      owners.push_back(owner);
    }
    return owners;
  }

  const Run& run_;
  std::vector<LaunchLink> links_;
  std::size_t next_link_ = 0;
  Call call_;                                  ///< the last one: a graph launches many kernels
  std::vector<std::size_t> kernels_of_track_;  ///< kernels that each thread launched
  std::vector<Calls> calls_of_track_;          ///< by the track of the work
  std::vector<bool> is_wanted_;
  std::vector<std::uint32_t> process_of_track_;
  std::vector<DeviceItem> work_;
  std::unordered_map<std::uint32_t, std::vector<std::int64_t>> untimed_of_;  ///< by process
};

}  // namespace

std::uint32_t process_of_track(const Run& run, std::uint32_t track) {
  const std::size_t thread = run.tracks[track].thread.value;
  return thread < run.threads.size() ? run.threads[thread].process.value : 0;
}

std::size_t count_between(const std::vector<std::int64_t>& at_ns, std::int64_t from_ns,
                          std::int64_t to_ns) {
  const auto first = std::lower_bound(at_ns.begin(), at_ns.end(), from_ns);
  return static_cast<std::size_t>(std::lower_bound(first, at_ns.end(), to_ns) - first);
}

std::vector<std::uint32_t> loops_of_processes(const Run& run, const Loops& loops) {
  std::vector<std::uint32_t> loop_of(run.processes.size(), kNoLoop);
  for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
    loop_of[loops.loops[loop].process] = loop;
  }
  return loop_of;
}

Loops find_loops(const Run& run, const SliceFilter& filter) {
  WorkReader reader(run, filter);
  reader.read();
  reader.read_untimed_launches();
  reader.settle_unknown_calls();
  return reader.to_loops();
}

}  // namespace tactus
