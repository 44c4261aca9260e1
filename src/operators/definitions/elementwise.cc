#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/definitions/rows.h"
#include "operators/number_formats.h"
#include "operators/slack.h"
#include "operators/uncertain.h"

namespace tactus {
namespace {

void append(ExpectedRun& run, double value, double slack) {
  run.values.push_back(value);
  run.slack.push_back(slack);
}

/// Whether an activation's operand or result is rounded to the type of the tensors on the way.
enum class Between : std::uint8_t { kRounded, kFp32 };

// silu_and_mul: out = rounded(silu(left half)) * right half. A unit is a row. The variant does not
// round between.

Problem silu_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t width = problem.at("width");
  problem.inputs = {{"x", shape.dtype, {tokens, width}, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, {tokens, width / 2}}};
  return problem;
}

std::string silu_objection(const ShapeParameters& shape) {
  if (*shape.find("width") % 2 != 0) return "width must be even: it is two halves";
  return needs_floating(shape);
}

double silu_work(const Problem& problem) {
  return 20.0 * static_cast<double>(problem.at("width"));
}

template <Between kBetween>
void silu_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) {
  const std::int64_t half = problem.at("width") / 2;
  const HostTensor& x = before.input("x");
  ExpectedRun run;
  run.first = unit * half;
  for (std::int64_t i = 0; i < half; ++i) {
    const double factor = x.get(2 * run.first + half + i);
    Uncertain gate = silu({x.get(2 * run.first + i), 0});
    if (kBetween == Between::kRounded) gate = stored(x.spec->dtype, gate);
    // fp32 holds the product of two bf16 or fp16 numbers exactly: only the gate can be in doubt.
    const Uncertain product = in_fp32(gate.value * factor);
    append(run, product.value, product.slack + gate.slack * std::fabs(factor));
  }
  into.push_back(std::move(run));
}

// causal_conv1d: y = bias + sum over k of weight[k] * z[t + k], z = the state, then x along time;
// out = silu(rounded(y)). A unit is a channel. The variant does not round between.

Problem conv_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t channels = problem.at("channels");
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t width = problem.at("width");
  problem.inputs = {{"x", shape.dtype, {channels, tokens}, Draw::kNormal, 0, 1},
                    {"weight", shape.dtype, {channels, width}, Draw::kNormal, 0, 0.5},
                    {"bias", shape.dtype, {channels}, Draw::kNormal, 0, 0.5},
                    {"initial_state", shape.dtype, {1, channels, width - 1}, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, {channels, tokens}}};
  return problem;
}

std::string conv_objection(const ShapeParameters& shape) {
  if (*shape.find("width") < 2) return "width must be at least 2: the state has one less";
  return needs_floating(shape);
}

std::int64_t channels_of(const Problem& problem) {
  return problem.at("channels");
}

double conv_work(const Problem& problem) {
  return static_cast<double>(problem.at("tokens")) *
         static_cast<double>(30 + 4 * problem.at("width"));
}

template <Between kBetween>
void conv_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                 Expected& into) {
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t width = problem.at("width");
  const HostTensor& x = before.input("x");
  const HostTensor& weight = before.input("weight");
  const HostTensor& state = before.input("initial_state");
  const double bias = before.input("bias").get(unit);
  const auto at = [&](std::int64_t time) {  // from 1 - width on
    return time < 0 ? state.get((unit + 1) * (width - 1) + time) : x.get(unit * tokens + time);
  };
  ExpectedRun run;
  run.first = unit * tokens;
  for (std::int64_t t = 0; t < tokens; ++t) {
    double sum = bias;
    double magnitude = std::fabs(bias);
    for (std::int64_t k = 0; k < width; ++k) {
      const double term = weight.get(unit * width + k) * at(t + k - (width - 1));
      sum += term;
      magnitude += std::fabs(term);
    }
    // Products of bf16 numbers are exact in fp32; their sum is not, and its rounding may flip.
    Uncertain y = {sum, sum_slack(magnitude, width + 1)};
    if (kBetween == Between::kRounded) y = stored(x.spec->dtype, y);
    const Uncertain out = silu(y);
    append(run, out.value, out.slack);
  }
  into.push_back(std::move(run));
}

// moe_sum_reduce: out = factor * sum over the slots of a token. A unit is a token.

Problem sum_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t hidden = problem.at("hidden");
  problem.inputs = {{"x", shape.dtype, {tokens, problem.at("top_k"), hidden}, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, {tokens, hidden}}};
  problem.parameters = {{"factor", 2.5}};  // as in models; with 1, a missing factor would not show
  return problem;
}

double sum_work(const Problem& problem) {
  return 6.0 * static_cast<double>(problem.at("hidden") * problem.at("top_k"));
}

void sum_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const std::int64_t slots = problem.at("top_k");
  const double factor = problem.value("factor");
  const HostTensor& x = before.input("x");
  ExpectedRun run;
  run.first = unit * hidden;
  for (std::int64_t i = 0; i < hidden; ++i) {
    double sum = 0;
    double magnitude = 0;
    double finest = HUGE_VAL;  // all terms are multiples of it
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      const double term = x.get((unit * slots + slot) * hidden + i);
      sum += term;
      magnitude += std::fabs(term);
      if (term != 0) finest = std::min(finest, spacing(x.spec->dtype, term));
    }
    // If 24 bits hold every partial sum, all orders give the same; else it is a sum in fp32.
    const bool exact = magnitude <= finest * 0x1p24;
    const Uncertain scaled = in_fp32(sum * factor);
    append(run, scaled.value, scaled.slack + (exact ? 0 : factor * sum_slack(magnitude, slots)));
  }
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 2> kSilu = {"tokens", "width"};
constexpr std::array<std::string_view, 3> kConv = {"tokens", "channels", "width"};
constexpr std::array<std::string_view, 3> kSum = {"tokens", "top_k", "hidden"};

constexpr std::string_view kRoundedOnce = "rounded_once";
constexpr std::array kSiluVariants = {OperatorVariant{kRoundedOnce, silu_expect<Between::kFp32>}};
constexpr std::array kConvVariants = {OperatorVariant{kRoundedOnce, conv_expect<Between::kFp32>}};

constexpr std::array kDefinitions = {
    OperatorDefinition{.name = "silu_and_mul",
                       .shape_parameters = kSilu,
                       .problem = silu_problem,
                       .units = tokens_of,
                       .unit_work = silu_work,
                       .expect = silu_expect<Between::kRounded>,
                       .variants = kSiluVariants,
                       .objection = silu_objection},
    OperatorDefinition{.name = "causal_conv1d",
                       .shape_parameters = kConv,
                       .problem = conv_problem,
                       .units = channels_of,
                       .unit_work = conv_work,
                       .expect = conv_expect<Between::kRounded>,
                       .variants = kConvVariants,
                       .objection = conv_objection},
    OperatorDefinition{.name = "moe_sum_reduce",
                       .shape_parameters = kSum,
                       .problem = sum_problem,
                       .units = tokens_of,
                       .unit_work = sum_work,
                       .expect = sum_expect,
                       .objection = needs_floating},
};

}  // namespace

std::span<const OperatorDefinition> elementwise_definitions() {
  return kDefinitions;
}

}  // namespace tactus
