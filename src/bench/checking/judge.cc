#include "bench/checking/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "operators/number_formats.h"

namespace tactus {
namespace {

std::string place(const TensorSpec& spec, std::int64_t index) {
  std::vector<std::int64_t> indices(spec.shape.size());
  for (std::size_t i = spec.shape.size(); i-- > 0;) {
    indices[i] = index % spec.shape[i];
    index /= spec.shape[i];
  }
  return fmt::format("{}[{}]", spec.name, fmt::join(indices, ", "));
}

/// The sign of NaN does not matter.
std::string text(double number) {
  return std::isnan(number) ? "nan" : fmt::format("{:.9g}", number);
}

double relative_error(NumberType type, double got, double value) {
  if (std::isnan(value) || std::isinf(value) || !std::isfinite(got)) return got == value ? 0 : 1;
  return std::fabs(got - value) / std::max(std::fabs(value), spacing(type, 1));
}

void judge_run(const HostTensors& after, const ExpectedRun& run, Judgement& judgement) {
  const HostTensor& output = after.outputs[run.output];
  const NumberType type = output.spec->dtype;
  for (std::size_t i = 0; i < run.values.size(); ++i) {
    const std::int64_t index = run.first + static_cast<std::int64_t>(i);
    const double got = output.get(index);
    const double slack = run.slack.empty() ? 0 : run.slack[i];
    ++judgement.checked;
    judgement.max_rel_err =
        std::max(judgement.max_rel_err, relative_error(type, got, run.values[i]));
    if (within(type, got, run.values[i], slack)) continue;
    judgement.right = false;
    if (++judgement.wrong == 1) {
      judgement.first =
          fmt::format("{} is {}, should be {} (within {:.2g})", place(*output.spec, index),
                      text(got), text(run.values[i]), slack);
    }
  }
}

}  // namespace

void Judgement::add(const Judgement& other) {
  if (wrong == 0 && !other.first.empty()) first = other.first;
  right = right && other.right;
  checked += other.checked;
  wrong += other.wrong;
  max_rel_err = std::max(max_rel_err, other.max_rel_err);
}

bool within(NumberType type, double got, double value, double slack) {
  // fp8 has no infinity: only values out of range are NaN.
  const double nearest = rounded(type, value);
  const bool none = std::isnan(nearest);
  if (none || std::isnan(got)) return none && std::isnan(got);
  if (got == nearest) return true;
  if (std::isinf(value)) return false;
  const double low = rounded(type, value - slack);
  const double high = rounded(type, value + slack);
  // If only the slack is out of range, only the other end counts.
  const bool above = std::isnan(low) || got >= low;
  const bool below = std::isnan(high) || got <= high;
  return above && below;
}

Judgement judge_unit(const OperatorDefinition& definition, const Problem& problem,
                     const HostTensors& before, const HostTensors& after, std::int64_t unit) {
  Judgement judgement;
  Expected expected;
  definition.expect(problem, before, unit, expected);
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
  return judgement;
}

Judgement judge(const OperatorDefinition& definition, const Problem& problem,
                const HostTensors& before, const HostTensors& after, double work,
                std::uint64_t seed, unsigned threads) {
  const std::int64_t units = definition.units(problem);
  const double affordable = work / std::max(definition.unit_work(problem), 1.0);
  std::vector<std::int64_t> chosen;
  if (affordable >= static_cast<double>(units)) {
    for (std::int64_t unit = 0; unit < units; ++unit) chosen.push_back(unit);
  } else {
    chosen = {0, units - 1};
    Random random(seed);
    while (static_cast<double>(chosen.size()) < affordable) chosen.push_back(random.below(units));
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
  constexpr std::size_t kAtOnce = 16;
  const std::size_t blocks = (chosen.size() + kAtOnce - 1) / kAtOnce;
  std::vector<Judgement> judgements(blocks);
  parallel_for(threads, blocks, [&](std::size_t block, unsigned) {
    const std::size_t end = std::min(chosen.size(), (block + 1) * kAtOnce);
    for (std::size_t i = block * kAtOnce; i < end; ++i) {
      judgements[block].add(judge_unit(definition, problem, before, after, chosen[i]));
    }
  });
  Judgement all;
  for (const Judgement& judgement : judgements) all.add(judgement);
  return all;
}

}  // namespace tactus
