#include "bench/diagnosis/diagnose.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/diagnosis/excerpts.h"
#include "bench/diagnosis/mistaken_inputs.h"
#include "bench/diagnosis/output_mistakes.h"
#include "bench/diagnosis/patterns.h"
#include "bench/diagnosis/wrong_numbers.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{3};
constexpr std::size_t kShownNumbers = 8;
constexpr std::size_t kTriedUnits = 6;
constexpr double kTriedWork = 3e8;  // multiplications of the units, for each mistake
constexpr std::size_t kNamedMistakes = 3;

/// Wrong units from everywhere: a mistake that explains only some is not the one.
WrongUnits units_to_explain(const WrongCall& call) {
  const std::vector<std::int64_t>& all = call.judgement.wrong_units;
  WrongUnits wrong;
  const double affordable = kTriedWork / std::max(call.definition.unit_work(call.problem), 1.0);
  const std::size_t most =
      affordable < kTriedUnits ? static_cast<std::size_t>(affordable) + 1 : kTriedUnits;
  const std::size_t count = std::min(all.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == 1 ? 0 : i * (all.size() - 1) / (count - 1);
    Expected expected;
    call.definition.expect(call.problem, call.before, all[at], expected);
    std::erase_if(expected, [&](const ExpectedRun& run) {
      return (call.definition.judged_by_also >> run.output & 1) != 0;
    });
    wrong.units.push_back(all[at]);
    wrong.expected.push_back(std::move(expected));
  }
  return wrong;
}

/// Compares a run with what a mistake gives. `decides` becomes true if the right result does not
/// agree where the mistake does.
bool run_agrees(const WrongCall& call, const ExpectedRun& mistaken, const ExpectedRun& right,
                const InputMistake& mistake, bool& decides) {
  const HostTensor& output = call.after.outputs[mistaken.output];
  const NumberType type = output.spec->dtype;
  for (std::size_t i = 0; i < mistaken.values.size(); ++i) {
    const std::int64_t index = mistaken.first + static_cast<std::int64_t>(i);
    if (mistake.says && !mistake.says(mistaken.output, index)) continue;
    const double got = output.get(index);
    if (mistake.may_break && !std::isfinite(got)) continue;
    const double slack = mistaken.slack.empty() ? 0 : mistaken.slack[i];
    if (!std::isfinite(slack) || !within(type, got, mistaken.values[i], slack)) return false;
    const double right_slack = right.slack.empty() ? 0 : right.slack[i];
    // Not if the mistake's slack is so wide that it would agree with nearly anything.
    const bool sharp = !(std::fabs(got - right.values[i]) <= 2 * slack);
    if (sharp && !within(type, got, right.values[i], right_slack)) decides = true;
  }
  return true;
}

bool explains(const WrongCall& call, const WrongUnits& wrong, const InputMistake& mistake) {
  MistakenInputs inputs(call.problem, call.before);
  if (mistake.make && !mistake.make(inputs)) return false;
  bool decides = false;
  for (std::size_t u = 0; u < wrong.units.size(); ++u) {
    Expected expected;
    if (mistake.make_for) {
      MistakenInputs own(call.problem, call.before);
      if (!mistake.make_for(own, wrong.units[u])) return false;
      call.definition.expect(own.problem, own.tensors, wrong.units[u], expected);
    } else {
      call.definition.expect(inputs.problem, inputs.tensors, wrong.units[u], expected);
    }
    std::size_t compared = 0;
    for (const ExpectedRun& right : wrong.expected[u]) {
      const auto same = std::find_if(expected.begin(), expected.end(), [&](const ExpectedRun& run) {
        return run.output == right.output && run.first == right.first &&
               run.values.size() == right.values.size();
      });
      if (same == expected.end() || !run_agrees(call, *same, right, mistake, decides)) return false;
      ++compared;
    }
    if (compared == 0) return false;
  }
  return decides;
}

std::vector<LikelyMistake> find_mistakes(const WrongCall& call, const WrongNumbers& numbers) {
  const Clock::time_point end = Clock::now() + kPatience;
  const WrongUnits wrong = units_to_explain(call);
  std::vector<LikelyMistake> mistakes;
  const auto name = [&](std::optional<LikelyMistake> found) {
    if (found && mistakes.size() < kNamedMistakes) mistakes.push_back(std::move(*found));
  };
  name(wrong_rounding(call, wrong));
  name(overflowing_exp(call, numbers.numbers));
  if (Clock::now() < end) name(results_of_neighbours(call, wrong));
  if (Clock::now() < end) name(stored_by_columns(call, numbers.numbers));
  if (Clock::now() < end) name(neighbours_as_pairs(call, wrong));
  for (const InputMistake& mistake : input_mistakes(call.problem)) {
    if (Clock::now() >= end || mistakes.size() >= kNamedMistakes) break;
    if (explains(call, wrong, mistake)) mistakes.push_back({mistake.name, mistake.text});
  }
  // Says less than the others.
  if (mistakes.empty()) name(wrong_factor(call, wrong));
  return mistakes;
}

/// The first wrong numbers, what they depend on, and where all of them are.
void add_first_numbers(const WrongCall& call, const WrongNumbers& wrong, Failure& failure) {
  for (const WrongNumber& number : wrong.numbers) {
    if (failure.first.size() >= kShownNumbers) break;
    const TensorSpec& spec = call.problem.outputs[number.output];
    failure.first.push_back({.output = spec.name,
                             .indices = indices_of(spec, number.index),
                             .got = number.got,
                             .expected = number.value,
                             .allowed = allowed_words(spec.dtype, number.value, number.slack)});
  }
  failure.pattern = wrong_patterns(call, wrong);
  if (!wrong.numbers.empty()) failure.inputs = inputs_around(call, wrong.numbers[0]);
}

}  // namespace

Failure diagnose(const OperatorDefinition& definition, const Problem& problem,
                 const HostTensors& before, const HostTensors& after,
                 const CheckedOutputs& judgement) {
  const WrongCall call = {definition, problem, before, after, judgement};
  Failure failure;
  failure.checked = judgement.checked;
  failure.wrong = judgement.wrong;
  const WrongNumbers wrong = find_wrong_numbers(call);
  add_first_numbers(call, wrong, failure);
  // Ids with several right answers are judged by a rule, which says itself what is wrong.
  if (wrong.numbers.empty()) failure.pattern.push_back(judgement.first);
  if (!wrong.numbers.empty() && !are_unwritten(call, wrong)) {
    failure.mistakes = find_mistakes(call, wrong);
  }
  return failure;
}

Failure diagnose_unwritten(const OperatorDefinition& definition, const Problem& problem,
                           const HostTensors& before, const HostTensors& after) {
  const CheckedOutputs judgement;
  const WrongCall call = {definition, problem, before, after, judgement};
  const WrongNumbers unwritten = find_unwritten_numbers(call);
  Failure failure;
  for (const CountsOfOutput& counts : unwritten.outputs) {
    failure.checked += counts.compared;
    failure.wrong += counts.wrong;
  }
  add_first_numbers(call, unwritten, failure);
  return failure;
}

void record_judgement(const OperatorDefinition& definition, const Problem& problem,
                      const HostTensors& before, const HostTensors& after,
                      const CheckedOutputs& judgement, BenchRow& row) {
  row.max_rel_err = std::max(row.max_rel_err.value_or(0), judgement.max_rel_err);
  row.checked += judgement.checked;
  row.mismatch += judgement.wrong;
  if (judgement.right) {
    row.slack_used = std::max(row.slack_used.value_or(0), judgement.slack_used);
    if (row.tolerance.empty()) row.tolerance = tolerance_words(judgement, problem);
    if (!judgement.variant.empty()) row.variant = judgement.variant;
    return;
  }
  row.failure = diagnose(definition, problem, before, after, judgement);
}

}  // namespace tactus
