#include <array>
#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// rms_norm: out = bf16(x * rsqrt(mean(x^2) + eps) * weight), a unit is a row.

Problem rms_norm_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t hidden = problem.at("hidden");
  problem.inputs = {{"x", shape.dtype, {tokens, hidden}, Draw::kNormal, 0, 1},
                    {"weight", shape.dtype, {hidden}, Draw::kNormal, 1, 0.25}};
  problem.outputs = {{"out", shape.dtype, {tokens, hidden}}};
  problem.parameters = {{"eps", 1e-6}};
  return problem;
}

std::int64_t tokens_of(const Problem& problem) {
  return problem.at("tokens");
}

double row_work(const Problem& problem) {
  return 4.0 * static_cast<double>(problem.at("hidden"));
}

void rms_norm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                     Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const HostTensor& x = before.input("x");
  const HostTensor& weight = before.input("weight");
  const std::int64_t first = unit * hidden;
  double squares = 0;
  for (std::int64_t i = 0; i < hidden; ++i) squares += x.get(first + i) * x.get(first + i);
  const double mean = squares / static_cast<double>(hidden);
  const double scale = 1 / std::sqrt(mean + problem.value("eps"));
  // Half the relative error of the sum goes into its root; then three roundings.
  const double relative = sum_slack(1, hidden) / 2 + fp32_slack(1, 4);
  ExpectedRun run;
  run.first = first;
  for (std::int64_t i = 0; i < hidden; ++i) {
    const double value = x.get(first + i) * scale * weight.get(i);
    run.values.push_back(value);
    run.slack.push_back(std::fabs(value) * relative);
  }
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 2> kRows = {"tokens", "hidden"};

constexpr std::array kDefinitions = {
    OperatorDefinition{.name = "rms_norm",
                       .shape_parameters = kRows,
                       .problem = rms_norm_problem,
                       .units = tokens_of,
                       .unit_work = row_work,
                       .expect = rms_norm_expect},
};

}  // namespace

std::span<const OperatorDefinition> norm_definitions() {
  return kDefinitions;
}

}  // namespace tactus
