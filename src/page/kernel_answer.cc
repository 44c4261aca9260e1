#include "page/kernel_answer.h"

#include "cycles/cycle_selection.h"

namespace tactus {

std::optional<IdleTime> idle_time_of(const Run& run, const KernelQuestion& question) {
  if (run.slices.empty()) return std::nullopt;
  if (!question.phase && question.skip_warmup == 0) return find_idle_time(run, question.filter);
  Result<Cycles> cycles = find_cycles(run, {.filter = question.filter});
  if (!cycles) return std::nullopt;
  skip_warmup(question.skip_warmup, *cycles);
  return find_idle_time(run, question.filter, &*cycles, question.phase);
}

KernelAnswer answer_kernels(const Run& run, const KernelQuestion& question,
                            const HardwareProfile* hardware) {
  KernelAnswer answer;
  answer.report = report_kernels(run, question);
  answer.bounds = bound_kernels(run, answer.report, hardware);
  answer.idle = idle_time_of(run, question);
  return answer;
}

}  // namespace tactus
