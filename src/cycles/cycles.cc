#include "cycles/cycles.h"

#include <algorithm>
#include <array>

#include "cycles/cycle_search.h"
#include "cycles/cycle_selection.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr std::array kAnchored = {AnchorMethod::kAnnotation, AnchorMethod::kPython,
                                  AnchorMethod::kCpuOp};

Status has_slices(const Run& run) {
  if (!run.slices.empty()) return {};
  return input_error("holds no slices; cycles need a trace");
}

Cycles only_launches(const Run& run) {
  Cycles cycles;
  cycles.comparable_key = "launch";
  cycles.cycle_of_slice.assign(run.slices.size(), -1);
  return cycles;
}

/// Median launches of the whole cycles; 0 if there are none.
double launches_per_cycle(const Cycles& cycles) {
  std::vector<std::int64_t> launches;
  for (const Cycle& cycle : cycles.cycles) {
    if (cycle.complete) launches.push_back(cycle.launches);
  }
  return launches.empty() ? 0 : static_cast<double>(upper_median(std::move(launches)));
}

/// A step of one run is never compared with a layer of another: they differ far more than two sets
/// of kernels for the same work.
bool are_alike(const Cycles& a, const Cycles& b) {
  const double in_a = launches_per_cycle(a);
  const double in_b = launches_per_cycle(b);
  return in_a > 0 && in_b > 0 && in_a < 4 * in_b && in_b < 4 * in_a;
}

}  // namespace

StepWork work_of(const Cycle& cycle) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  return {.phase = cycle.phase,
          .evidence = cycle.evidence,
          .tokens = number(cycle.tokens),
          .sequences = number(cycle.sequences),
          .context = number(cycle.context)};
}

std::string_view anchor_method_name(AnchorMethod method) {
  switch (method) {
    case AnchorMethod::kAnnotation: return "annotation";
    case AnchorMethod::kPython: return "python";
    case AnchorMethod::kCpuOp: return "cpu_op";
    case AnchorMethod::kKernelSequence: return "kernel_sequence";
    case AnchorMethod::kLaunch: break;
  }
  return "launch";
}

Result<Cycles> find_cycles(const Run& run, const CycleQuestion& question) {
  RunPasses passes(run);
  return find_cycles(run, question, passes);
}

Result<Cycles> find_cycles(const Run& run, const CycleQuestion& question, RunPasses& passes) {
  if (Status status = has_slices(run); !status) return status.error();
  CycleSearch search(run, question, passes);
  std::optional<Cycles> found;
  for (const AnchorMethod method : kAnchored) {
    if (!found) found = search.by_anchor(method);
    if (asks_to_stop(question.should_stop)) return broke_error("the search for cycles was stopped");
  }
  if (!found && !question.anchor.empty()) {
    return usage_error("no annotation, Python function or framework op is called " +
                       question.anchor);
  }
  if (!found) found = search.by_kernels();
  if (asks_to_stop(question.should_stop)) return broke_error("the search for cycles was stopped");
  if (!found) found = only_launches(run);
  keep_times(question.filter, *found);
  return std::move(*found);
}

Result<std::pair<Cycles, Cycles>> find_cycles_jointly(const Run& a, const Run& b,
                                                      const CycleQuestion& question) {
  for (const Run* run : {&a, &b}) {
    if (Status status = has_slices(*run); !status) return status.error();
  }
  RunPasses passes_a(a);
  RunPasses passes_b(b);
  CycleSearch in_a(a, question, passes_a);
  CycleSearch in_b(b, question, passes_b);
  std::optional<Cycles> of_a, of_b;
  bool has_names = false;
  const auto have_both = [&] { return of_a && of_b && are_alike(*of_a, *of_b); };
  for (const AnchorMethod method : kAnchored) {
    of_a = in_a.by_anchor(method);
    const std::optional<Cycles> own_of_b = in_b.by_anchor(method);
    of_b = own_of_b;
    has_names = has_names || of_a || of_b;
    if (have_both() && of_a->anchor == of_b->anchor) break;
    // The anchor of one run is searched in the other, even if it is rare there.
    if (of_a) of_b = in_b.by_anchor(method, of_a->anchor);
    if (have_both()) break;
    of_b = own_of_b;
    if (of_b) of_a = in_a.by_anchor(method, of_b->anchor);
    if (have_both()) break;
  }
  if (!have_both()) {
    if (!question.anchor.empty()) {
      return usage_error("the two runs have no cycles in common that are called " +
                         question.anchor);
    }
    // Names of one run say more than turns that both have.
    const auto turns = has_names ? CycleSearch::Turns::kNot : CycleSearch::Turns::kToo;
    of_a = in_a.by_kernels(turns);
    of_b = in_b.by_kernels(turns);
  }
  if (!of_a || !of_b) {
    of_a = only_launches(a);
    of_b = only_launches(b);
  }
  keep_times(question.filter, *of_a);
  keep_times(question.filter, *of_b);
  return std::pair(std::move(*of_a), std::move(*of_b));
}

}  // namespace tactus
