#include "edit_run/truth.h"

#include <algorithm>
#include <cmath>

namespace tactus::edit_run {
namespace {

/// First start and last end of the device work of a step.
struct WorkSpan {
  std::int64_t start_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;
  std::int64_t kernels_ns = 0;  ///< the durations of all kernels together

  void add(std::int64_t start, std::int64_t end, bool is_kernel) {
    start_ns = std::min(start_ns, start);
    end_ns = std::max(end_ns, end);
    if (is_kernel) kernels_ns += end - start;
  }
};

struct Sums {
  std::size_t steps = 0;
  double log_ratio = 0;
  double old_ns = 0;
  double new_ns = 0;

  void add(std::int64_t old_dur, std::int64_t new_dur) {
    ++steps;
    old_ns += static_cast<double>(old_dur);
    new_ns += static_cast<double>(new_dur);
    log_ratio += std::log(static_cast<double>(new_dur) / static_cast<double>(old_dur));
  }
};

}  // namespace

Truth find_truth(const Run& run, const Recording& recording, const Steps& steps,
                 const NewTimes& times) {
  const std::vector<Cycle>& cycles = steps.cycles.cycles;
  std::vector<WorkSpan> old_spans(cycles.size()), new_spans(cycles.size());
  for (const Work& work : recording.work) {
    const std::int32_t cycle = steps.cycles.cycle_of_slice[work.row];
    if (cycle < 0) continue;
    const auto at = static_cast<std::size_t>(cycle);
    const bool is_kernel = work.kind == WorkKind::kKernel;
    old_spans[at].add(work.start_ns, work.end_ns, is_kernel);
    new_spans[at].add(times.start_ns(work.row), times.end_ns(work.row), is_kernel);
  }
  std::map<std::string, Sums> sums;
  double old_kernels_ns = 0, new_kernels_ns = 0;
  for (std::size_t i = 0; i + 1 < cycles.size(); ++i) {
    const bool is_whole = cycles[i].complete && cycles[i].process == cycles[i + 1].process &&
                          steps.steps[i].is_kept && steps.steps[i + 1].is_kept;
    if (!is_whole || old_spans[i].kernels_ns == 0 || old_spans[i + 1].kernels_ns == 0) continue;
    const bool is_pause = cycles[i].start_ns + cycles[i].dur_ns < cycles[i + 1].start_ns;
    const auto dur_of = [&](const std::vector<WorkSpan>& spans) {
      return (is_pause ? spans[i].end_ns : spans[i + 1].start_ns) - spans[i].start_ns;
    };
    const std::int64_t old_dur = dur_of(old_spans);
    const std::int64_t new_dur = dur_of(new_spans);
    if (old_dur <= 0 || new_dur <= 0) continue;
    sums["all"].add(old_dur, new_dur);
    sums[std::string(phase_name(cycles[i].phase))].add(old_dur, new_dur);
    const std::optional<std::int64_t> rank = run.processes[cycles[i].process].rank;
    if (rank && recording.loops.size() > 1) {
      sums["rank " + std::to_string(*rank)].add(old_dur, new_dur);
    }
    old_kernels_ns += static_cast<double>(old_spans[i].kernels_ns);
    new_kernels_ns += static_cast<double>(new_spans[i].kernels_ns);
  }
  Truth truth;
  for (const auto& [part, sum] : sums) {
    truth.parts[part] = {.steps = sum.steps,
                         .ratio = std::exp(sum.log_ratio / static_cast<double>(sum.steps)),
                         .mean_ratio = sum.new_ns / sum.old_ns};
  }
  if (old_kernels_ns > 0) truth.kernel_ratio = new_kernels_ns / old_kernels_ns;
  return truth;
}

}  // namespace tactus::edit_run
