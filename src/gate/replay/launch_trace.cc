#include "gate/replay/launch_trace.h"

#include <algorithm>
#include <unordered_map>

#include "cycles/cycles.h"
#include "gate/groups.h"
#include "gate/replay/products.h"
#include "launches/captured_launches.h"
#include "run/event_view.h"

namespace tactus::gate {
namespace {

/// A call of the host that may have waited for the device.
enum class WaitKind : unsigned char { kNone, kCopy, kWait };

WaitKind wait_kind(std::string_view call) {
  const auto has = [&](std::string_view part) { return call.find(part) != std::string_view::npos; };
  if (has("Synchronize")) return WaitKind::kWait;
  return has("Memcpy") ? WaitKind::kCopy : WaitKind::kNone;
}

class TraceReader {
 public:
  TraceReader(const Run& run, const Policy& policy, const ProcessTags& tags)
      : run_(run), policy_(policy), tags_(tags) {}

  Result<LaunchTrace> read() {
    link_kernels();
    if (kernels_of_call_.empty()) {
      return input_error(
          "the recording has no kernels with a launch and a time; record with tactus record --mode "
          "full, or with torch.profiler");
    }
    if (const Result<Cycles> cycles = find_cycles(run_, CycleQuestion())) {
      phases_ = phases_of(*cycles);
    }
    const bool asks_rows = std::any_of(policy_.rules.begin(), policy_.rules.end(),
                                       [](const ClassRule& rule) { return rule.asks_rows(); });
    products_ = read_products(run_, asks_rows);
    add_steps();
    for (auto& [track, number] : thread_of_track_) find_classes(threads_[number], track);
    for (TracedThread& thread : threads_) {
      finish(thread);
      find_pace(thread);
    }
    std::erase_if(threads_, [](const TracedThread& thread) { return thread.steps.empty(); });
    sort_launches();
    trace_.threads = std::move(threads_);
    return std::move(trace_);
  }

 private:
  struct Linked {
    std::vector<TracedKernel> kernels;
    std::uint32_t stream = 0;
  };

  void link_kernels() {
    std::unordered_map<std::uint32_t, std::uint32_t> call_of;
    for_each_launch(run_, [&](std::uint32_t call, std::uint32_t work) { call_of[work] = call; });
    const std::array<const Column*, 4> columns = {&run_.slices.start(), &run_.slices.dur(),
                                                  &run_.slices.name(), &run_.slices.track()};
    for_each_slice(
        run_, Captures::kLeaveOut, [](SliceKind kind) { return kind == SliceKind::kKernel; },
        columns,
        [&](std::size_t row, SliceKind, const std::array<std::int64_t, 4>& values) {
          const auto call = call_of.find(static_cast<std::uint32_t>(row));
          if (call == call_of.end()) return;
          Linked& linked = kernels_of_call_[call->second];
          linked.kernels.push_back({StringId(static_cast<std::uint64_t>(values[2])), values[0],
                                    std::max<std::int64_t>(values[1], 0)});
          linked.stream = static_cast<std::uint32_t>(values[3]);
        });
    for (auto& [call, linked] : kernels_of_call_) {
      std::stable_sort(
          linked.kernels.begin(), linked.kernels.end(),
          [](const TracedKernel& a, const TracedKernel& b) { return a.start_ns < b.start_ns; });
    }
  }

  /// By row of run.slices.
  std::vector<Phase> phases_of(const Cycles& cycles) const {
    std::vector<Phase> out(run_.slices.size(), Phase::kUnknown);
    for (std::size_t row = 0; row < out.size() && row < cycles.cycle_of_slice.size(); ++row) {
      const std::int32_t cycle = cycles.cycle_of_slice[row];
      if (cycle >= 0) out[row] = cycles.cycles[static_cast<std::size_t>(cycle)].phase;
    }
    return out;
  }

  void add_steps() {
    for_each_event(run_, run_.slices, [&](const EventView& event) {
      const SliceKind kind = run_.kind_of(event.category);
      if (kind != SliceKind::kRuntime && kind != SliceKind::kDriver) return;
      const std::string_view name = run_.strings[event.name];
      const auto linked = kernels_of_call_.find(static_cast<std::uint32_t>(event.row));
      if (linked != kernels_of_call_.end()) {
        add_launch(event, name, linked->second);
      } else if (const WaitKind waits = wait_kind(name); waits != WaitKind::kNone) {
        TracedThread& thread = thread_of(event.track);
        thread.steps.push_back({.kind = ThreadStep::kWait,
                                .begin_ns = event.start_ns,
                                .end_ns = event.start_ns + event.dur_ns,
                                .wake_ns = 0,
                                .launch = waits == WaitKind::kCopy ? kIsCopy : 0});
      }
    });
  }

  void add_launch(const EventView& event, std::string_view name, const Linked& linked) {
    TracedThread& thread = thread_of(event.track);
    TracedLaunch launch;
    launch.begin_ns = event.start_ns;
    launch.end_ns = event.start_ns + event.dur_ns;
    launch.is_graph = is_graph_launch(name);
    const Phase phase = event.row < phases_.size() ? phases_[event.row] : Phase::kUnknown;
    phase_of_launch_.push_back(phase == Phase::kUnknown ? std::string_view() : phase_name(phase));
    launch.passes =
        !launch.is_graph && is_never_held(policy_, run_.strings[linked.kernels.front().name]);
    launch.stream = linked.stream;
    launch.first_kernel = trace_.kernels.size();
    launch.kernels = linked.kernels.size();
    trace_.kernels.insert(trace_.kernels.end(), linked.kernels.begin(), linked.kernels.end());
    thread.steps.push_back({.kind = ThreadStep::kLaunch,
                            .begin_ns = launch.begin_ns,
                            .end_ns = launch.end_ns,
                            .wake_ns = 0,
                            .launch = trace_.launches.size()});
    trace_.launches.push_back(launch);
  }

  std::string tag_of(std::uint32_t process) const {
    const Process& one = run_.processes[process];
    const auto found = tags_.find(one.os_pid.value_or(one.number));
    return found == tags_.end() ? std::string() : found->second;
  }

  TracedThread& thread_of(std::uint32_t track) {
    const auto [at, is_new] = thread_of_track_.try_emplace(track, threads_.size());
    if (is_new) {
      const ThreadId thread = run_.tracks[track].thread;
      threads_.emplace_back().process =
          static_cast<std::uint32_t>(run_.threads[thread.value].process.value);
    }
    return threads_[at->second];
  }

  /// In the order of time. The rows of a launch are those of the last product of its thread since
  /// that waited, as in the agent.
  void find_classes(TracedThread& thread, std::uint32_t track) {
    std::stable_sort(
        thread.steps.begin(), thread.steps.end(),
        [](const ThreadStep& a, const ThreadStep& b) { return a.begin_ns < b.begin_ns; });
    const std::string tag = tag_of(thread.process);
    const std::vector<TracedProduct>& products = products_[track];
    auto next = products.begin();
    std::int64_t rows = 0;
    const TracedProduct* call = nullptr;
    bool has_launched = false;  // in the call
    for (const ThreadStep& step : thread.steps) {
      for (; next != products.end() && next->begin_ns <= step.begin_ns; ++next) {
        if (next->rows != 0) rows = next->rows;
        if (!next->is_one_call) continue;
        call = &*next;
        has_launched = false;
      }
      if (step.kind == ThreadStep::kWait) {
        if (step.launch != kIsCopy) rows = 0;
        continue;
      }
      TracedLaunch& launch = trace_.launches[step.launch];
      launch.class_number = class_of(policy_, {.tag = tag,
                                               .phase = phase_of_launch_[step.launch],
                                               .is_graph = launch.is_graph,
                                               .rows = launch.is_graph ? 0 : rows});
      if (call == nullptr || step.begin_ns >= call->end_ns) continue;
      launch.passes = launch.passes || has_launched;
      has_launched = true;
    }
  }

  /// Without waits that nothing was launched for, and without copies that
  /// did not wait.
  void finish(TracedThread& thread) const {
    std::vector<ThreadStep> kept;
    std::int64_t done_ns = 0;
    bool has_launched = false;
    for (const ThreadStep& step : thread.steps) {
      if (step.kind == ThreadStep::kLaunch) {
        const TracedLaunch& launch = trace_.launches[step.launch];
        const TracedKernel& last = trace_.kernels[launch.first_kernel + launch.kernels - 1];
        done_ns = std::max(done_ns, last.start_ns + last.dur_ns);
        has_launched = true;
      } else {
        const bool is_copy = step.launch == kIsCopy;
        const bool has_waited = step.begin_ns <= done_ns && done_ns <= step.end_ns;
        if (!has_launched || (is_copy && !has_waited)) continue;
        has_launched = false;
      }
      kept.push_back(step);
      if (step.kind != ThreadStep::kWait) continue;
      kept.back().launch = 0;
      kept.back().wake_ns =
          std::max<std::int64_t>(step.end_ns - std::max(done_ns, step.begin_ns), 0);
    }
    thread.steps = std::move(kept);
  }

  /// If units begin in a steadier rhythm than the host pauses between them, a clock starts them.
  static void find_pace(TracedThread& thread) {
    std::vector<double> gaps;
    std::vector<double> intervals;
    std::int64_t last_begin = 0;
    for (std::size_t i = 1; i < thread.steps.size(); ++i) {
      const ThreadStep& before = thread.steps[i - 1];
      if (before.kind != ThreadStep::kWait) continue;
      const std::int64_t begin = thread.steps[i].begin_ns;
      gaps.push_back(static_cast<double>(begin - before.end_ns));
      if (last_begin != 0) intervals.push_back(static_cast<double>(begin - last_begin));
      last_begin = begin;
    }
    if (intervals.size() < 10) return;
    // Middle halves: a few stalls of the machine do not count.
    const auto quartile = [](std::vector<double>& values, double share) {
      const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
      std::nth_element(values.begin(), values.begin() + at, values.end());
      return values[static_cast<std::size_t>(at)];
    };
    const double gap_spread = quartile(gaps, 0.75) - quartile(gaps, 0.25);
    const double interval_spread = quartile(intervals, 0.75) - quartile(intervals, 0.25);
    const double middle = quartile(intervals, 0.5);
    thread.is_paced = quartile(gaps, 0.5) > 0.05 * middle && interval_spread < 0.5 * gap_spread;
    thread.shortest_gap_ns =
        std::max<std::int64_t>(static_cast<std::int64_t>(quartile(gaps, 0.01)), 0);
  }

  void sort_launches() {
    std::vector<TracedLaunch> sorted;
    for (TracedThread& thread : threads_) {
      for (ThreadStep& step : thread.steps) {
        if (step.kind != ThreadStep::kLaunch) continue;
        sorted.push_back(trace_.launches[step.launch]);
        step.launch = sorted.size() - 1;
      }
    }
    trace_.launches = std::move(sorted);
  }

  static constexpr std::size_t kIsCopy = 1;

  const Run& run_;
  const Policy& policy_;
  const ProcessTags& tags_;
  LaunchTrace trace_;
  std::vector<TracedThread> threads_;
  std::unordered_map<std::uint32_t, std::size_t> thread_of_track_;
  std::unordered_map<std::uint32_t, Linked> kernels_of_call_;
  std::vector<Phase> phases_;
  std::vector<std::string_view> phase_of_launch_;
  std::unordered_map<std::uint32_t, std::vector<TracedProduct>> products_;
};

}  // namespace

std::optional<std::size_t> TracedThread::first_wait() const {
  constexpr std::ptrdiff_t kFewUnits = 10;
  const auto is_wait = [](const ThreadStep& step) { return step.kind == ThreadStep::kWait; };
  if (std::count_if(steps.begin(), steps.end(), is_wait) < kFewUnits) return std::nullopt;
  return static_cast<std::size_t>(std::find_if(steps.begin(), steps.end(), is_wait) -
                                  steps.begin());
}

Result<LaunchTrace> read_launches(const Run& run, const Policy& policy, const ProcessTags& tags) {
  return TraceReader(run, policy, tags).read();
}

std::size_t class_of(const Policy& policy, const LaunchFacts& launch) {
  for (const ClassRule& rule : policy.rules) {
    if (!rule.kind.empty() && (rule.kind == "graph") != launch.is_graph) continue;
    if (!rule.tag.empty() && rule.tag != launch.tag) continue;
    if (!rule.phase.empty() && rule.phase != launch.phase) continue;
    if (rule.asks_priority()) continue;
    if (rule.asks_rows() && (launch.rows == 0 || launch.rows < rule.least_rows.value_or(1) ||
                             launch.rows > rule.most_rows.value_or(kMostRows))) {
      continue;
    }
    const auto found = std::find(policy.classes.begin(), policy.classes.end(), rule.name);
    return static_cast<std::size_t>(found - policy.classes.begin());
  }
  return kNoClassNumber;
}

bool is_collective_name(std::string_view kernel) {
  return std::any_of(std::begin(wire::kCollectiveWords), std::end(wire::kCollectiveWords),
                     [&](const char* word) { return kernel.find(word) != std::string_view::npos; });
}

bool is_never_held(const Policy& policy, std::string_view kernel) {
  if (is_collective_name(kernel)) return true;
  const auto is_listed = [&](std::string_view name) {
    return std::binary_search(policy.members.begin(), policy.members.end(),
                              wire::gate_hash(name.data(), name.size()));
  };
  return is_listed(kernel) || is_listed(kernel_word(kernel));
}

}  // namespace tactus::gate
