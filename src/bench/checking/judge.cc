#include "bench/checking/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "operators/number_formats.h"

namespace tactus {
namespace {

constexpr std::size_t kLooks = 16;  // what is allowed is looked at for one number in so many

/// The sign of NaN does not matter.
std::string text(double number) {
  return std::isnan(number) ? "nan" : fmt::format("{:.9g}", number);
}

double relative_error(NumberType type, double got, double value) {
  if (std::isnan(value) || std::isinf(value) || !std::isfinite(got)) return got == value ? 0 : 1;
  return std::fabs(got - value) / std::max(std::fabs(value), spacing(type, 1));
}

void judge_run(const HostTensors& after, const ExpectedRun& run, CheckedOutputs& judgement) {
  const HostTensor& output = after.outputs[run.output];
  const NumberType type = output.spec->dtype;
  if (judgement.tolerances.size() < after.outputs.size()) {
    judgement.tolerances.resize(after.outputs.size());
  }
  for (std::size_t i = 0; i < run.values.size(); ++i) {
    const std::int64_t index = run.first + static_cast<std::int64_t>(i);
    const double got = output.get(index);
    const double value = run.values[i];
    const double slack = run.slack.empty() ? 0 : run.slack[i];
    ++judgement.checked;
    judgement.max_rel_err = std::max(judgement.max_rel_err, relative_error(type, got, value));
    if (i % kLooks == 0) {
      judgement.tolerances[run.output].add(type, allowed_ulps(type, value, slack));
    }
    if (within(type, got, value, slack)) {
      judgement.slack_used = std::max(judgement.slack_used, used_slack(type, got, value, slack));
      continue;
    }
    judgement.right = false;
    if (++judgement.wrong == 1) {
      judgement.first = fmt::format("{} is {}, should be {} ({})", place_words(*output.spec, index),
                                    text(got), text(value), allowed_words(type, value, slack));
    }
  }
}

std::vector<std::int64_t> chosen_units(std::int64_t units, double affordable, std::uint64_t seed,
                                       std::span<const std::int64_t> besides) {
  std::vector<std::int64_t> chosen;
  if (affordable >= static_cast<double>(units)) {
    for (std::int64_t unit = 0; unit < units; ++unit) chosen.push_back(unit);
    return chosen;
  }
  chosen = {0, units - 1};
  chosen.insert(chosen.end(), besides.begin(), besides.end());
  Random random(seed);
  while (static_cast<double>(chosen.size()) < affordable) chosen.push_back(random.below(units));
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

void CheckedOutputs::add(const CheckedOutputs& other) {
  if (wrong == 0 && !other.first.empty()) first = other.first;
  right = right && other.right;
  checked += other.checked;
  wrong += other.wrong;
  max_rel_err = std::max(max_rel_err, other.max_rel_err);
  slack_used = std::max(slack_used, other.slack_used);
  if (variant.empty()) variant = other.variant;
  if (tolerances.size() < other.tolerances.size()) tolerances.resize(other.tolerances.size());
  for (std::size_t i = 0; i < other.tolerances.size(); ++i) tolerances[i].add(other.tolerances[i]);
  units.insert(units.end(), other.units.begin(), other.units.end());
  wrong_units.insert(wrong_units.end(), other.wrong_units.begin(), other.wrong_units.end());
}

CheckedOutputs judge_unit(const OperatorDefinition& definition, const Problem& problem,
                          const HostTensors& before, const HostTensors& after, std::int64_t unit,
                          const OperatorVariant* variant) {
  CheckedOutputs judgement;
  Expected expected;
  (variant != nullptr ? variant->expect : definition.expect)(problem, before, unit, expected);
  for (const ExpectedRun& run : expected) {
    if ((definition.judged_by_also >> run.output & 1) != 0) continue;
    judge_run(after, run, judgement);
  }
  if (definition.also != nullptr) {
    const std::string wrong = definition.also(problem, before, after, unit);
    if (!wrong.empty()) {
      judgement.right = false;
      ++judgement.wrong;
      if (judgement.first.empty()) judgement.first = wrong;
    }
  }
  judgement.units = {unit};
  if (!judgement.right) judgement.wrong_units = {unit};
  return judgement;
}

CheckedOutputs judge(const OperatorDefinition& definition, const Problem& problem,
                     const HostTensors& before, const HostTensors& after, double work,
                     std::uint64_t seed, unsigned threads, std::span<const std::int64_t> besides) {
  const std::vector<std::int64_t> chosen =
      chosen_units(definition.units(problem), work / std::max(definition.unit_work(problem), 1.0),
                   seed, besides);
  constexpr std::size_t kAtOnce = 16;
  const std::size_t blocks = (chosen.size() + kAtOnce - 1) / kAtOnce;
  const auto judged_by = [&](const OperatorVariant* variant) {
    std::vector<CheckedOutputs> judgements(blocks);
    std::atomic<bool> refused = false;
    parallel_for(threads, blocks, [&](std::size_t block, unsigned) {
      // A variant is all right or not meant.
      if (variant != nullptr && refused.load(std::memory_order_relaxed)) return;
      const std::size_t end = std::min(chosen.size(), (block + 1) * kAtOnce);
      for (std::size_t i = block * kAtOnce; i < end; ++i) {
        judgements[block].add(judge_unit(definition, problem, before, after, chosen[i], variant));
      }
      if (!judgements[block].right) refused = true;
    });
    CheckedOutputs all;
    for (const CheckedOutputs& judgement : judgements) all.add(judgement);
    return all;
  };
  CheckedOutputs judgement = judged_by(nullptr);
  if (judgement.right) return judgement;
  for (const OperatorVariant& variant : definition.variants) {
    CheckedOutputs other = judged_by(&variant);
    if (!other.right) continue;
    other.variant = variant.name;
    return other;
  }
  return judgement;
}

std::string tolerance_words(const CheckedOutputs& judgement, const Problem& problem) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < judgement.tolerances.size(); ++i) {
    const std::string words = judgement.tolerances[i].words();
    if (words.empty()) continue;
    parts.push_back(fmt::format("{}: {}", problem.outputs[i].name, words));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string place_words(const TensorSpec& spec, std::int64_t index) {
  std::vector<std::int64_t> indices(spec.shape.size());
  for (std::size_t i = spec.shape.size(); i-- > 0;) {
    indices[i] = index % spec.shape[i];
    index /= spec.shape[i];
  }
  return fmt::format("{}[{}]", spec.name, fmt::join(indices, ", "));
}

}  // namespace tactus
