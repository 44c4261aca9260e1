#include "page/kernel_answer.h"

#include "base/parallel.h"
#include "cycles/cycle_selection.h"

namespace tactus {

namespace {

/// Where nothing ran, it is not known what idled.
std::optional<IdleTime> if_any(IdleTime idle) {
  if (idle.span_ns == 0) return std::nullopt;
  return idle;
}

}  // namespace

std::optional<IdleTime> idle_time_of(const Run& run, const KernelQuestion& question,
                                     const Cycles* cycles) {
  if (run.slices.empty()) return std::nullopt;
  if (!question.phase && question.skip_warmup == 0)
    return if_any(find_idle_time(run, question.filter));
  if (cycles != nullptr && question.skip_warmup == 0 && question.filter == SliceFilter()) {
    return if_any(find_idle_time(run, question.filter, cycles, question.phase));
  }
  Result<Cycles> found = find_cycles(run, {.filter = question.filter});
  if (!found) return std::nullopt;
  skip_warmup(question.skip_warmup, *found);
  return if_any(find_idle_time(run, question.filter, &*found, question.phase));
}

const KernelAnswer& KernelAnswers::all() {
  if (all_) return *all_;
  KernelAnswer& answer = all_.emplace();
  parallel_for(threads_, 2, [&](std::size_t part, unsigned) {
    if (part == 0) {
      answer.report = report_kernels(run_, {}, passes_);
      answer.bounds = bound_kernels(run_, answer.report, nullptr);
    } else {
      answer.idle = idle_time_of(run_, {});
    }
  });
  if (has_only_launches(run_)) answer.launches = launch_table(run_, {});
  if (answer.launches && !answer.launches->shows_busy_time()) answer.idle.reset();
  return answer;
}

KernelAnswer KernelAnswers::of(const KernelQuestion& question, const Cycles* cycles) {
  const KernelReport* known = run_.slices.empty() ? nullptr : &all().report;
  KernelAnswer answer;
  answer.report = report_kernels(run_, question, passes_, known);
  const bool is_all =
      !question.phase && question.skip_warmup == 0 && question.filter == SliceFilter();
  if (is_all) {  // in other rows
    answer.bounds = all().bounds;
    answer.idle = all().idle;
    answer.launches = all().launches;
    return answer;
  }
  answer.bounds = bound_kernels(run_, answer.report, nullptr);
  answer.idle = idle_time_of(run_, question, cycles);
  if (all_ && all_->launches) {
    answer.launches = launch_table(run_, question.filter);
    if (!answer.launches->shows_busy_time()) answer.idle.reset();
  }
  return answer;
}

}  // namespace tactus
