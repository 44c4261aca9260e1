#include <algorithm>
#include <array>
#include <map>

#include "base/arithmetic.h"
#include "launches/grid.h"
#include "measure/host_parts.h"
#include "measure/measurement.h"
#include "measure/taking_turns.h"
#include "measure/trace_work.h"
#include "run/event_view.h"
#include "run/identity.h"

namespace tactus {
namespace {

class TraceMeasurement final : public Measurement {
 public:
  TraceMeasurement(const Run& run, const Cycles& cycles, const Loops& loops)
      : run_(run), cycles_(cycles), parts_(run) {
    is_trace = true;
    kind_of_cycle = cycles.comparable_key;
    cycles_joined = cycles.joined;
    origin_ns = run.origin_ns;
    add_ranks();
    read_calls();
    read_work(loops);
    calls_ = {};
    drop_unused();
  }

  FunctionCosts functions(std::size_t rank) const override;

 private:
  /// Processes of two inputs may have one pid; their files tell them apart.
  std::string pid_text(const Process& process) const {
    const std::int64_t pid = process.os_pid.value_or(process.number);
    std::string text = std::to_string(pid);
    if (pid == process.number) return text;
    const std::string_view path = run_.strings[run_.sources[process.source.value].path];
    return text.append(" of ").append(path.substr(path.find_last_of('/') + 1));
  }

  void add_ranks() {
    step_of_cycle_.assign(cycles_.cycles.size(), kNoIndex);
    rank_of_cycle_.assign(cycles_.cycles.size(), kNoIndex);
    rank_of_process_.assign(run_.processes.size(), kNoIndex);
    for (const Cycle& cycle : cycles_.cycles) ++steps_of_kind_[{cycle.process, cycle.phase}];
    for (std::size_t i = 0; i < cycles_.cycles.size(); ++i) {
      const Cycle& cycle = cycles_.cycles[i];
      std::uint32_t& rank = rank_of_process_[cycle.process];
      if (rank == kNoIndex) {
        rank = static_cast<std::uint32_t>(ranks.size());
        RankMeasure& added = ranks.emplace_back();
        const Process& process = run_.processes[cycle.process];
        added.rank = process.rank;
        added.pid = process.os_pid.value_or(process.number);
        added.pid_text = pid_text(process);
        added.process = cycle.process;
        added.host = run_.hosts.empty() ? "" : host_label(run_, process.host);
        added.anchor = cycles_.anchor;
      }
      rank_of_cycle_[i] = rank;
      ranks[rank].pause_ns[static_cast<std::size_t>(cycle.phase)] +=
          static_cast<double>(cycle.pause_ns);
      if (!cycle.complete || cycle.launches == 0 || cycle.dur_ns <= 0) continue;
      if (ends_early(i)) {
        if (cycle.pause_ns > 0) ++ranks[rank].cut_off[static_cast<std::size_t>(cycle.phase)];
        continue;
      }
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

  /// Steps that only kernels show begin where their first kernel does. Without a next one that
  /// follows at once, nothing shows what the host did after the last kernel: such a step looks
  /// shorter than the others. The only step of its kind is better than none.
  bool ends_early(std::size_t i) const {
    if (cycles_.method != AnchorMethod::kKernelSequence) return false;
    const Cycle& cycle = cycles_.cycles[i];
    if (i + 1 < cycles_.cycles.size()) {
      const Cycle& next = cycles_.cycles[i + 1];
      if (next.process == cycle.process &&
          next.start_ns <= wrapping_add(cycle.start_ns, cycle.dur_ns)) {
        return false;
      }
    }
    return steps_of_kind_.at({cycle.process, cycle.phase}) > 2;
  }

  void add_effort(Effort effort, std::size_t row, std::int64_t dur_ns) {
    const std::int32_t cycle =
        row < cycles_.cycle_of_slice.size() ? cycles_.cycle_of_slice[row] : -1;
    if (cycle < 0 || step_of_cycle_[static_cast<std::size_t>(cycle)] == kNoIndex) return;
    const std::uint32_t step = step_of_cycle_[static_cast<std::size_t>(cycle)];
    RankMeasure& rank = ranks[rank_of_cycle_[static_cast<std::size_t>(cycle)]];
    EffortColumns& into = rank.efforts[static_cast<std::size_t>(effort)];
    into.count[step] += 1;
    into.ns[step] += static_cast<double>(dur_ns);
  }

  void read_calls() {
    calls_ = read_host_calls(run_, [&](std::size_t row, Part part, std::int64_t dur_ns) {
      has_host = true;
      if (part == Part::kLaunching) add_effort(Effort::kLaunchCalls, row, dur_ns);
      if (part == Part::kWaitCall) add_effort(Effort::kWaitCalls, row, dur_ns);
      if (part == Part::kCopyCall) add_effort(Effort::kCopyCalls, row, dur_ns);
    });
  }

  void read_work(const Loops& loops) {
    const std::vector<RankWork> work = read_device_work(
        run_, loops, calls_, rank_of_process_, ranks.size(), parts_,
        [&](std::size_t row, const DevicePiece& piece) {
          add_device_effort(piece, row, wrapping_subtract(piece.end_ns, piece.start_ns));
        });
    add_bytes();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (work[rank].device.valid()) ranks[rank].device = device_label(run_, work[rank].device);
      cut_into_parts(work[rank].pieces, ranks[rank]);
    }
    split_turns(work, ranks);
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
      if (cycle < 0 || step_of_cycle_[static_cast<std::size_t>(cycle)] == kNoIndex) return;
      RankMeasure& rank = ranks[rank_of_cycle_[static_cast<std::size_t>(cycle)]];
      const Effort effort =
          part == Part::kCopyToDevice ? Effort::kCopiesToDevice : Effort::kCopiesFromDevice;
      EffortColumns& into = rank.efforts[static_cast<std::size_t>(effort)];
      if (into.bytes.empty()) into.bytes.assign(rank.steps.size(), 0);
      into.bytes[step_of_cycle_[static_cast<std::size_t>(cycle)]] += static_cast<double>(count);
    });
  }

  void cut_into_parts(std::span<const DevicePiece> pieces, RankMeasure& rank) const {
    for (std::vector<double>& part : rank.parts) part.assign(rank.steps.size(), 0);
    StepParts of_device(pieces, calls_.threads);
    HostParts of_host(pieces.empty() ? launching_thread(run_, calls_, rank.process) : nullptr);
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
      const auto [start, end] = std::pair(rank.steps[step].start_ns, rank.steps[step].end_ns);
      const auto parts = of_host ? of_host.next(start, end) : of_device.next(start, end);
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
  std::vector<std::uint32_t> step_of_cycle_;  ///< in its rank; kNoIndex if it is not whole
  std::vector<std::uint32_t> rank_of_cycle_;
  std::map<std::pair<std::uint32_t, Phase>, std::size_t> steps_of_kind_;  ///< by process and phase
  std::vector<std::uint32_t> rank_of_process_;
  HostCalls calls_;
};

FunctionCosts TraceMeasurement::functions(std::size_t rank) const {
  FunctionCosts found;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> number_of(run_.strings.size(), kNoIndex);
  const EventTable& slices = run_.slices;
  for_each_slice(
      run_, Captures::kLeaveOut, [](SliceKind kind) { return is_device_work(kind); },
      std::array{&slices.name(), &slices.dur()},
      [&](std::size_t row, SliceKind kind, const auto& values) {
        const std::int32_t cycle = cycles_.cycle_of_slice[row];
        if (cycle < 0 || rank_of_cycle_[static_cast<std::size_t>(cycle)] != rank) return;
        const std::uint32_t step = step_of_cycle_[static_cast<std::size_t>(cycle)];
        const auto name = static_cast<std::size_t>(values[0]);
        if (step == kNoIndex || name >= number_of.size()) return;
        if (number_of[name] == kNoIndex) {
          number_of[name] = static_cast<std::uint32_t>(found.functions.size());
          found.functions.push_back(
              {.name = std::string(run_.strings[StringId(static_cast<std::uint64_t>(name))]),
               .part = parts_.of(kind, static_cast<std::uint32_t>(name))});
        }
        rows.push_back(static_cast<std::uint32_t>(row));
        found.costs.push_back({.function = number_of[name],
                               .step = step,
                               .count = 1,
                               .ns = static_cast<double>(values[1])});
      });
  const std::vector<std::int64_t> blocks = blocks_of_kernels(run_, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    found.costs[i].blocks = static_cast<double>(blocks[i]);
  }
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
      found.costs[kept - 1].blocks += cost.blocks;
    } else {
      found.costs[kept++] = cost;
    }
  }
  found.costs.resize(kept);
  return found;
}

}  // namespace

std::unique_ptr<Measurement> measure_trace(const Run& run, const Cycles& cycles) {
  return measure_trace(run, cycles, find_loops(run, {}));
}

std::unique_ptr<Measurement> measure_trace(const Run& run, const Cycles& cycles,
                                           const Loops& loops) {
  return std::make_unique<TraceMeasurement>(run, cycles, loops);
}

}  // namespace tactus
