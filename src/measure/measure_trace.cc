#include <algorithm>
#include <array>

#include "base/arithmetic.h"
#include "cycles/passes/loops.h"
#include "measure/function_type.h"
#include "measure/measurement.h"
#include "measure/step_parts.h"
#include "names/decoded_names.h"
#include "run/event_view.h"
#include "run/identity.h"

namespace tactus {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

Part copy_part(std::string_view name) {
  if (name.find("HtoD") != std::string_view::npos) return Part::kCopyToDevice;
  if (name.find("DtoH") != std::string_view::npos) return Part::kCopyFromDevice;
  return Part::kCopyOnDevice;
}

/// The part of each kind of device work, by name, found once.
class PartsOfNames {
 public:
  explicit PartsOfNames(const Run& run)
      : run_(run), names_(run), known_(run.strings.size(), kNot) {}

  Part of(SliceKind kind, std::uint32_t name) {
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

 private:
  static constexpr std::uint8_t kNot = 255;
  const Run& run_;
  DecodedNames names_;
  std::vector<std::uint8_t> known_;
};

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

class TraceMeasurement final : public Measurement {
 public:
  TraceMeasurement(const Run& run, const Cycles& cycles) : run_(run), cycles_(cycles), parts_(run) {
    is_trace = true;
    kind_of_cycle = cycles.comparable_key;
    cycles_joined = cycles.joined;
    add_ranks();
    read_calls();
    read_device_work();
    calls_ = {};
    drop_unused();
  }

  FunctionCosts functions(std::size_t rank) const override;

 private:
  void add_ranks() {
    step_of_cycle_.assign(cycles_.cycles.size(), kNone);
    rank_of_cycle_.assign(cycles_.cycles.size(), kNone);
    rank_of_process_.assign(run_.processes.size(), kNone);
    for (std::size_t i = 0; i < cycles_.cycles.size(); ++i) {
      const Cycle& cycle = cycles_.cycles[i];
      std::uint32_t& rank = rank_of_process_[cycle.process];
      if (rank == kNone) {
        rank = static_cast<std::uint32_t>(ranks.size());
        RankMeasure& added = ranks.emplace_back();
        const Process& process = run_.processes[cycle.process];
        added.rank = process.rank;
        added.pid = process.number;
        added.host = run_.hosts.empty() ? "" : host_label(run_, process.host);
        added.anchor = cycles_.anchor;
      }
      rank_of_cycle_[i] = rank;
      if (!cycle.complete || cycle.launches == 0 || cycle.dur_ns <= 0) continue;
      RankMeasure& into = ranks[rank];
      step_of_cycle_[i] = static_cast<std::uint32_t>(into.steps.size());
      into.steps.push_back({.start_ns = cycle.start_ns,
                            .end_ns = wrapping_add(cycle.start_ns, cycle.dur_ns),
                            .ns = static_cast<double>(cycle.dur_ns),
                            .launches = static_cast<double>(cycle.launches),
                            .work = work_of(cycle)});
    }
    for (RankMeasure& rank : ranks) {
      for (EffortColumns& effort : rank.efforts) {
        effort.count.assign(rank.steps.size(), 0);
        effort.ns.assign(rank.steps.size(), 0);
      }
    }
  }

  void add_effort(Effort effort, std::size_t row, std::int64_t dur_ns) {
    const std::int32_t cycle =
        row < cycles_.cycle_of_slice.size() ? cycles_.cycle_of_slice[row] : -1;
    if (cycle < 0 || step_of_cycle_[static_cast<std::size_t>(cycle)] == kNone) return;
    const std::uint32_t step = step_of_cycle_[static_cast<std::size_t>(cycle)];
    RankMeasure& rank = ranks[rank_of_cycle_[static_cast<std::size_t>(cycle)]];
    EffortColumns& into = rank.efforts[static_cast<std::size_t>(effort)];
    into.count[step] += 1;
    into.ns[step] += static_cast<double>(dur_ns);
  }

  /// The calls of each host thread that launches, without those inside others.
  void read_calls() {
    thread_of_track_.assign(run_.tracks.size(), kNone);
    calls_.clear();
    PartsOfCalls parts(run_);
    const EventTable& slices = run_.slices;
    for_each_slice(run_, Captures::kLeaveOut, is_host_kind,
                   std::array{&slices.category(), &slices.name(), &slices.track(), &slices.start(),
                              &slices.dur()},
                   [&](std::size_t row, SliceKind, const auto& values) {
                     const auto [category, name, track, start, dur] = values;
                     const std::optional<Part> part = parts.of(static_cast<std::size_t>(category),
                                                               static_cast<std::size_t>(name));
                     if (!part || static_cast<std::size_t>(track) >= run_.tracks.size()) return;
                     has_host = true;
                     if (part == Part::kLaunching) add_effort(Effort::kLaunchCalls, row, dur);
                     if (part == Part::kWaitCall) add_effort(Effort::kWaitCalls, row, dur);
                     if (part == Part::kCopyCall) add_effort(Effort::kCopyCalls, row, dur);
                     std::uint32_t& thread = thread_of_track_[static_cast<std::size_t>(track)];
                     if (thread == kNone) {
                       thread = static_cast<std::uint32_t>(calls_.size());
                       calls_.emplace_back();
                     }
                     calls_[thread].push_back({start, wrapping_add(start, dur), *part});
                   });
    for (std::vector<HostCall>& calls : calls_) {
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
  }

  void read_device_work() {
    const Loops loops = find_loops(run_, {});
    std::vector<std::uint32_t> call_of(run_.slices.size(), kNone);
    for_each_launch(run_, [&](std::uint32_t call, std::uint32_t work) { call_of[work] = call; });
    std::vector<std::vector<DevicePiece>> pieces(ranks.size());
    std::vector<DeviceId> device_of(ranks.size());
    const EventTable& slices = run_.slices;
    std::size_t next = 0;
    for_each_slice(run_, Captures::kLeaveOut, runs_for_a_device,
                   std::array{&slices.name(), &slices.track()},
                   [&](std::size_t row, SliceKind kind, const auto& values) {
                     while (next < loops.work.size() && loops.work[next].row < row) ++next;
                     if (next == loops.work.size() || loops.work[next].row != row) return;
                     const DeviceItem& item = loops.work[next];
                     const std::uint32_t rank = rank_of_process_[loops.loops[item.loop].process];
                     if (rank == kNone) return;
                     DevicePiece piece{.start_ns = item.start_ns, .end_ns = item.end_ns};
                     piece.part = parts_.of(kind, static_cast<std::uint32_t>(values[0]));
                     if (call_of[row] != kNone) {
                       const std::uint32_t call = call_of[row];
                       const auto track = static_cast<std::size_t>(slices.track()[call]);
                       piece.call_start_ns = slices.start()[call];
                       piece.call_end_ns = wrapping_add(piece.call_start_ns, slices.dur()[call]);
                       if (track < thread_of_track_.size()) piece.thread = thread_of_track_[track];
                     }
                     const auto track = static_cast<std::size_t>(values[1]);
                     if (!device_of[rank].valid() && track < run_.tracks.size()) {
                       device_of[rank] = run_.tracks[track].device;
                     }
                     add_device_effort(piece, row, wrapping_subtract(item.end_ns, item.start_ns));
                     pieces[rank].push_back(piece);
                   });
    add_bytes();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (device_of[rank].valid()) ranks[rank].device = device_label(run_, device_of[rank]);
      cut_into_parts(pieces[rank], ranks[rank]);
      pieces[rank] = {};
    }
  }

  void add_device_effort(const DevicePiece& piece, std::size_t row, std::int64_t dur_ns) {
    if (piece.part == part_of(Family::kCollective)) add_effort(Effort::kCollectives, row, dur_ns);
    if (is_compute_part(piece.part)) add_effort(Effort::kKernels, row, dur_ns);
    if (piece.part == Part::kCopyToDevice) add_effort(Effort::kCopiesToDevice, row, dur_ns);
    if (piece.part == Part::kCopyFromDevice) add_effort(Effort::kCopiesFromDevice, row, dur_ns);
  }

  void add_bytes() {
    run_.for_each_int_arg(run_.slices, "bytes", [&](std::size_t row, std::int64_t count) {
      const SliceKind kind = run_.kind_of(run_.slices.category()[row]);
      if (kind != SliceKind::kMemcpy || run_.is_captured(run_.slices.category()[row])) return;
      const Part part = parts_.of(kind, static_cast<std::uint32_t>(run_.slices.name()[row]));
      if (!is_copy_part(part)) return;
      const std::int32_t cycle = cycles_.cycle_of_slice[row];
      if (cycle < 0 || step_of_cycle_[static_cast<std::size_t>(cycle)] == kNone) return;
      RankMeasure& rank = ranks[rank_of_cycle_[static_cast<std::size_t>(cycle)]];
      const Effort effort =
          part == Part::kCopyToDevice ? Effort::kCopiesToDevice : Effort::kCopiesFromDevice;
      EffortColumns& into = rank.efforts[static_cast<std::size_t>(effort)];
      if (into.bytes.empty()) into.bytes.assign(rank.steps.size(), 0);
      into.bytes[step_of_cycle_[static_cast<std::size_t>(cycle)]] += static_cast<double>(count);
    });
  }

  void cut_into_parts(std::vector<DevicePiece>& pieces, RankMeasure& rank) const {
    const auto earlier = [](const DevicePiece& a, const DevicePiece& b) {
      return a.start_ns < b.start_ns;
    };
    if (!std::is_sorted(pieces.begin(), pieces.end(), earlier)) {
      std::stable_sort(pieces.begin(), pieces.end(), earlier);
    }
    for (std::vector<double>& part : rank.parts) part.assign(rank.steps.size(), 0);
    StepParts cutter(pieces, calls_);
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
      const auto parts = cutter.next(rank.steps[step].start_ns, rank.steps[step].end_ns);
      for (std::size_t part = 0; part < kParts; ++part) rank.parts[part][step] = parts[part];
    }
  }

  void drop_unused() {
    const auto is_zero = [](const auto& column) {
      return std::all_of(column.begin(), column.end(), [](auto value) { return value == 0; });
    };
    for (RankMeasure& rank : ranks) {
      for (std::vector<double>& part : rank.parts) {
        if (is_zero(part)) part = {};
      }
      for (EffortColumns& effort : rank.efforts) {
        if (is_zero(effort.count)) effort = {};
      }
    }
  }

  const Run& run_;
  const Cycles& cycles_;
  mutable PartsOfNames parts_;
  std::vector<std::uint32_t> step_of_cycle_;  ///< in its rank; kNone if it is not whole
  std::vector<std::uint32_t> rank_of_cycle_;
  std::vector<std::uint32_t> rank_of_process_;
  std::vector<std::uint32_t> thread_of_track_;  ///< of calls_
  std::vector<std::vector<HostCall>> calls_;
};

FunctionCosts TraceMeasurement::functions(std::size_t rank) const {
  FunctionCosts found;
  std::vector<std::uint32_t> number_of(run_.strings.size(), kNone);
  const EventTable& slices = run_.slices;
  for_each_slice(
      run_, Captures::kLeaveOut, runs_for_a_device, std::array{&slices.name(), &slices.dur()},
      [&](std::size_t row, SliceKind kind, const auto& values) {
        const std::int32_t cycle = cycles_.cycle_of_slice[row];
        if (cycle < 0 || rank_of_cycle_[static_cast<std::size_t>(cycle)] != rank) return;
        const std::uint32_t step = step_of_cycle_[static_cast<std::size_t>(cycle)];
        const auto name = static_cast<std::size_t>(values[0]);
        if (step == kNone || name >= number_of.size()) return;
        if (number_of[name] == kNone) {
          number_of[name] = static_cast<std::uint32_t>(found.functions.size());
          found.functions.push_back(
              {.name = std::string(run_.strings[StringId(static_cast<std::uint64_t>(name))]),
               .part = parts_.of(kind, static_cast<std::uint32_t>(name))});
        }
        found.costs.push_back({.function = number_of[name],
                               .step = step,
                               .count = 1,
                               .ns = static_cast<double>(values[1])});
      });
  std::stable_sort(found.costs.begin(), found.costs.end(),
                   [](const FunctionCost& a, const FunctionCost& b) {
                     return a.function != b.function ? a.function < b.function : a.step < b.step;
                   });
  std::size_t kept = 0;
  for (const FunctionCost& cost : found.costs) {
    if (kept > 0 && found.costs[kept - 1].function == cost.function &&
        found.costs[kept - 1].step == cost.step) {
      found.costs[kept - 1].count += 1;
      found.costs[kept - 1].ns += cost.ns;
    } else {
      found.costs[kept++] = cost;
    }
  }
  found.costs.resize(kept);
  return found;
}

}  // namespace

std::unique_ptr<Measurement> measure_trace(const Run& run, const Cycles& cycles) {
  return std::make_unique<TraceMeasurement>(run, cycles);
}

}  // namespace tactus
