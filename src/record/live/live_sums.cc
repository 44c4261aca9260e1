#include "record/live/live_sums.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/host/driver_calls.h"
#include "record/session/fill/demangled.h"

namespace tactus::record {
namespace {

constexpr std::int64_t kWindow = 2'000'000'000;  // [ns]
constexpr std::size_t kMostHistory = 600;
constexpr std::size_t kMostNames = 100'000;

std::int64_t median_of(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<LiveShare> shares_of(const std::map<std::string, std::int64_t>& times, double whole) {
  std::vector<LiveShare> shares;
  if (whole <= 0) return shares;
  for (const auto& [what, ns] : times) {
    shares.push_back({what, std::min(1.0, static_cast<double>(ns) / whole)});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const LiveShare& a, const LiveShare& b) { return a.share > b.share; });
  return shares;
}

const char* call_group(wire::RecordKind kind) {
  switch (kind) {
    case wire::RecordKind::kLaunch:
    case wire::RecordKind::kGraphLaunch: return "launch";
    case wire::RecordKind::kSynchronise: return "wait for the GPU";
    case wire::RecordKind::kCopy:
    case wire::RecordKind::kFill: return "copy";
    case wire::RecordKind::kAllocate:
    case wire::RecordKind::kFree: return "allocate";
    default: return "other calls";
  }
}

}  // namespace

void LiveSums::add(const Batch& batch) {
  Turn& turn = turns_.emplace_back();
  turn.from_ns = last_ns_;
  turn.to_ns = batch.time_ns;
  last_ns_ = batch.time_ns;
  for (const Harvest::Part& part : batch.harvest.parts) {
    for (const ThreadRecord& record : part.records) add_record(*part.target, record, turn);
  }
  for (const HostEvent& event : batch.host.events) add_event(event, turn);
  for (const EndedStep& step : steps_.add(batch)) turn.steps.push_back(step.dur_ns);
  history_ns_.push_back(median_of(turn.steps));
  if (history_ns_.size() > kMostHistory) history_ns_.erase(history_ns_.begin());
  while (turns_.size() > 1 && turns_.back().to_ns - turns_.front().from_ns > kWindow) {
    turns_.pop_front();
  }
}

std::string LiveSums::name_of(const Target& target, std::uint32_t id) {
  if (names_.size() > kMostNames) names_.clear();
  std::string& name = names_[{target.number, id}];
  if (name.empty()) name = demangled(target.memory.name(id));
  return name.empty() ? "unknown" : name;
}

void LiveSums::add_launch(const ThreadKey& thread, std::string name, std::int64_t call_ns,
                          Turn& turn) {
  turn.launching.insert(thread);
  KernelSum& kernel = turn.kernels[std::move(name)];
  ++kernel.launches;
  kernel.call_ns += call_ns;
}

void LiveSums::add_record(const Target& target, const ThreadRecord& given, Turn& turn) {
  const wire::Record& record = given.record;
  if (record.kind == wire::RecordKind::kGpuTime) {
    const bool is_step = (record.flags & wire::kOfGraph) == 0;
    const std::int64_t dur = record.gpu.end_ns - record.gpu.begin_ns;
    if (is_step && dur >= 0 && dur < kWindow) {
      turn.gpu_ns += dur;
      turn.has_gpu_times = true;
    }
    return;
  }
  if (record.kind == wire::RecordKind::kCorrelation) return;
  const std::int64_t call_ns = clock_.duration_ns(record.took_ticks);
  turn.calls_ns[call_group(record.kind)] += call_ns;
  const ThreadKey thread{target.pid, given.tid};
  if (record.kind == wire::RecordKind::kCopy) ++turn.copies;
  if ((record.flags & wire::kCaptured) != 0) return;
  if (record.kind == wire::RecordKind::kLaunch) ++turn.launches;
  if (record.kind == wire::RecordKind::kGraphLaunch) ++turn.graphs;
  if (record.kind == wire::RecordKind::kLaunch || record.kind == wire::RecordKind::kGraphLaunch) {
    add_launch(thread, name_of(target, record.name), call_ns, turn);
  }
}

void LiveSums::add_event(const HostEvent& event, Turn& turn) {
  const ThreadKey thread{event.pid, event.tid};
  // Long waits end in this turn, but began in an earlier one.
  const std::int64_t from = std::max(clock_.from_monotonic(event.start_ns), turn.from_ns);
  const std::int64_t to = clock_.from_monotonic(event.end_ns);
  switch (event.kind) {
    case HostEvent::Kind::kCall: {
      const auto number = static_cast<std::size_t>(event.call);
      if (number >= driver_calls().size()) return;
      const DriverCall& call = driver_calls()[number];
      if (call.waits()) {
        turn.calls_ns["wait for the GPU"] += std::max<std::int64_t>(to - from, 0);
        return;
      }
      ++(call.is_graph() ? turn.graphs : turn.launches);
      add_launch(thread,
                 fmt::format("{} {:#x}", call.is_graph() ? "graph" : "kernel", event.function), 0,
                 turn);
      return;
    }
    case HostEvent::Kind::kOnCore:
      turn.host_ns[thread]["on a core"] += event.on_ns;
      turn.host_ns[thread]["ready, no core"] += event.queued_ns;
      return;
    case HostEvent::Kind::kOffCore: {
      const std::int64_t queued = event.reason == HostEvent::Reason::kReady
                                      ? to - from
                                      : std::min(event.queued_ns, to - from);
      turn.host_ns[thread]["ready, no core"] += std::max<std::int64_t>(queued, 0);
      if (event.reason == HostEvent::Reason::kReady) return;
      turn.host_ns[thread][std::string(wait_name(event.call, event.reason))] +=
          std::max<std::int64_t>(to - from - queued, 0);
      return;
    }
    default: return;
  }
}

void LiveSums::fill(LivePicture& picture) const {
  picture.step_history = history_ns_;
  if (turns_.empty()) return;
  Turn sum;
  for (const Turn& turn : turns_) {
    sum.steps.insert(sum.steps.end(), turn.steps.begin(), turn.steps.end());
    sum.launches += turn.launches;
    sum.graphs += turn.graphs;
    sum.copies += turn.copies;
    sum.gpu_ns += turn.gpu_ns;
    sum.has_gpu_times = sum.has_gpu_times || turn.has_gpu_times;
    sum.launching.insert(turn.launching.begin(), turn.launching.end());
    for (const auto& [what, ns] : turn.calls_ns) sum.calls_ns[what] += ns;
    for (const auto& [name, kernel] : turn.kernels) {
      sum.kernels[name].launches += kernel.launches;
      sum.kernels[name].call_ns += kernel.call_ns;
    }
  }
  const auto span = static_cast<double>(turns_.back().to_ns - turns_.front().from_ns);
  if (span <= 0) return;
  const double seconds = span / 1e9;
  const double thread_time =
      span * static_cast<double>(std::max<std::size_t>(sum.launching.size(), 1));
  picture.threads = sum.launching.size();
  if (picture.sees_launches) {
    picture.steps_per_second = static_cast<double>(sum.steps.size()) / seconds;
    picture.launches_per_second = static_cast<double>(sum.launches) / seconds;
    picture.graphs_per_second = static_cast<double>(sum.graphs) / seconds;
  }
  // From outside, copies are not watched.
  if (picture.processes != 0) {
    picture.copies_per_second = static_cast<double>(sum.copies) / seconds;
  }
  if (!sum.steps.empty()) {
    picture.step_ns = median_of(sum.steps);
    picture.slowest_ns = *std::max_element(sum.steps.begin(), sum.steps.end());
  }
  if (sum.has_gpu_times) {
    picture.gpu_busy = std::min(1.0, static_cast<double>(sum.gpu_ns) / span);
  }
  for (const auto& [name, kernel] : sum.kernels) {
    LiveKernel& added = picture.kernels.emplace_back();
    added.name = name;
    added.per_second = static_cast<double>(kernel.launches) / seconds;
    if (picture.processes != 0) {
      added.call_share = static_cast<double>(kernel.call_ns) / thread_time;
    }
  }
  std::stable_sort(
      picture.kernels.begin(), picture.kernels.end(),
      [](const LiveKernel& a, const LiveKernel& b) { return a.per_second > b.per_second; });
  picture.calls = shares_of(sum.calls_ns, thread_time);
  // Threads that launch decide how fast a server is; without any, all threads count.
  std::map<std::string, std::int64_t> host_ns;
  std::set<ThreadKey> threads;
  for (const Turn& turn : turns_) {
    for (const auto& [thread, times] : turn.host_ns) {
      if (!sum.launching.empty() && !sum.launching.contains(thread)) continue;
      threads.insert(thread);
      for (const auto& [what, ns] : times) host_ns[what] += ns;
    }
  }
  picture.host = shares_of(host_ns, span * static_cast<double>(threads.size()));
}

}  // namespace tactus::record
