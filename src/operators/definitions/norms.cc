#include <array>
#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/definitions/rows.h"
#include "operators/slack.h"
#include "operators/uncertain.h"

namespace tactus {
namespace {

constexpr double kQuiet = 0x1p-10;  // squares of about 1e-6, the epsilon of most norms

double row_work(const Problem& problem) {
  return 8.0 * static_cast<double>(problem.at("hidden"));
}

double heavy_row_work(const Problem& problem) {
  return 20.0 * static_cast<double>(problem.at("hidden"));
}

/// The factor of a row and its relative error. That includes the two products (row and weight) that
/// follow.
struct Scale {
  double factor = 0;
  double relative = 0;
};

Scale scale_of(double squares, double over, double eps, std::int64_t terms) {
  // Half the relative error of the sum goes into its root; then division, sum, root (2.1 half units
  // on a GPU) and two products.
  return {1 / std::sqrt(squares / over + eps), positive_sum_slack(1, terms) / 2 + fp32_slack(1, 6)};
}

double squares_of(const HostTensor& x, std::int64_t first, std::int64_t count) {
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) squares += x.get(first + i) * x.get(first + i);
  return squares;
}

/// Where numbers are rounded to the type of the output besides at the end.
enum class Rounding : std::uint8_t { kOnce, kBeforeWeight };

/// x times the factor of its row, times its weight.
Uncertain weighted(const Uncertain& x, const Scale& scale, double weight, NumberType type,
                   Rounding rounding) {
  const double normed = x.value * scale.factor;
  const double off = std::fabs(normed) * scale.relative + x.slack * scale.factor;
  if (rounding == Rounding::kOnce) return {normed * weight, off * std::fabs(weight)};
  const Uncertain kept = stored(type, {normed, off});
  // fp32 holds the product of two numbers of 11 bits.
  const Uncertain product = in_fp32(kept.value * weight);
  return {product.value, product.slack + kept.slack * std::fabs(weight)};
}

void append_to(ExpectedRun& run, const Uncertain& number) {
  run.values.push_back(number.value);
  run.slack.push_back(number.slack);
}

/// Their squares are 0 in fp32, so only epsilon is left.
void make_some_rows_tiny(const Problem& problem, const HostTensors& tensors, Random& random) {
  constexpr double kTiny = 0x1p-90;
  const HostTensor& x = tensors.input("x");
  const std::int64_t hidden = problem.at("hidden");
  if (x.elements() >= 16 * hidden && x.spec->dtype != NumberType::kFp16) {
    scale_some_rows({&x}, hidden, kTiny, 16, random);
  }
}

// rms_norm: out = x * rsqrt(mean(x^2) + eps) * weight. A unit is a row.

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

void rms_norm_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  make_some_rows_quiet({&tensors.input("x")}, problem.at("hidden"), kQuiet, random);
  make_some_rows_tiny(problem, tensors, random);
}

template <Rounding kRounding>
void rms_norm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                     Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const HostTensor& x = before.input("x");
  const HostTensor& weight = before.input("weight");
  const std::int64_t first = unit * hidden;
  const Scale scale = scale_of(squares_of(x, first, hidden), static_cast<double>(hidden),
                               problem.value("eps"), hidden);
  ExpectedRun run;
  run.first = first;
  for (std::int64_t i = 0; i < hidden; ++i) {
    append_to(run, weighted({x.get(first + i), 0}, scale, weight.get(i), x.spec->dtype, kRounding));
  }
  into.push_back(std::move(run));
}

// fused_add_rms_norm: residual = x + residual, rounded; out = rms_norm of that. A unit is a row.

Problem fused_add_rms_norm_problem(const ShapeParameters& shape) {
  Problem problem = rms_norm_problem(shape);
  const std::vector<std::int64_t> rows = problem.inputs[0].shape;
  problem.inputs.insert(problem.inputs.begin() + 1,
                        {"residual", shape.dtype, rows, Draw::kNormal, 0, 1});
  problem.outputs.push_back({"residual", shape.dtype, rows});
  return problem;
}

void fused_add_rms_norm_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  make_some_rows_quiet({&tensors.input("x"), &tensors.input("residual")}, problem.at("hidden"),
                       kQuiet, random);
}

template <Rounding kRounding>
void fused_add_rms_norm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                               Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const HostTensor& x = before.input("x");
  const HostTensor& residual = before.input("residual");
  const HostTensor& weight = before.input("weight");
  const std::int64_t first = unit * hidden;
  ExpectedRun sums;
  sums.output = 1;
  sums.first = first;
  std::vector<Uncertain> kept;
  double squares = 0;
  for (std::int64_t i = 0; i < hidden; ++i) {
    // Certain, unless the operands differ so much in size that fp32 rounds their sum.
    const Uncertain sum = in_fp32(x.get(first + i) + residual.get(first + i));
    sums.values.push_back(sum.value);
    sums.slack.push_back(sum.slack);
    kept.push_back(stored(residual.spec->dtype, sum));
    squares += kept.back().value * kept.back().value;
  }
  const Scale scale = scale_of(squares, static_cast<double>(hidden), problem.value("eps"), hidden);
  ExpectedRun run;
  run.first = first;
  for (std::int64_t i = 0; i < hidden; ++i) {
    append_to(run, weighted(kept[static_cast<std::size_t>(i)], scale, weight.get(i), x.spec->dtype,
                            kRounding));
  }
  into.push_back(std::move(run));
  into.push_back(std::move(sums));
}

// gated_rms_norm: out = x * rsqrt(mean(x^2) + eps) * weight * silu(z). A unit is a row. The variant
// rounds before the weight, and again before the gate.

Problem gated_rms_norm_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t rows = problem.at("rows");
  const std::int64_t hidden = problem.at("hidden");
  problem.inputs = {{"x", shape.dtype, {rows, hidden}, Draw::kNormal, 0, 1},
                    {"z", shape.dtype, {rows, hidden}, Draw::kNormal, 0, 1},
                    {"weight", shape.dtype, {hidden}, Draw::kNormal, 1, 0.25}};
  problem.outputs = {{"out", shape.dtype, {rows, hidden}}};
  problem.parameters = {{"eps", 1e-6}};
  return problem;
}

std::int64_t rows_of(const Problem& problem) {
  return problem.at("rows");
}

template <Rounding kRounding>
void gated_rms_norm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                           Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const HostTensor& x = before.input("x");
  const HostTensor& z = before.input("z");
  const HostTensor& weight = before.input("weight");
  const std::int64_t first = unit * hidden;
  const Scale scale = scale_of(squares_of(x, first, hidden), static_cast<double>(hidden),
                               problem.value("eps"), hidden);
  ExpectedRun run;
  run.first = first;
  for (std::int64_t i = 0; i < hidden; ++i) {
    const Uncertain gate = silu({z.get(first + i), 0});
    Uncertain normed =
        weighted({x.get(first + i), 0}, scale, weight.get(i), x.spec->dtype, kRounding);
    if (kRounding == Rounding::kBeforeWeight) normed = stored(x.spec->dtype, normed);
    const double value = normed.value * gate.value;
    // One more product, and the gate's own.
    append_to(run, {value, normed.slack * std::fabs(gate.value) + fp32_slack(value, 1) +
                               std::fabs(normed.value) * gate.slack});
  }
  into.push_back(std::move(run));
}

// l2_norm: out = x * rsqrt(sum(x^2) + eps). A unit is a row.

Problem l2_norm_problem(const ShapeParameters& shape) {
  Problem problem = rms_norm_problem(shape);
  problem.inputs.pop_back();
  return problem;
}

void l2_norm_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  // So that the sum, not the mean, of the squares is about the epsilon.
  const int exponent = std::ilogb(std::sqrt(static_cast<double>(problem.at("hidden"))));
  make_some_rows_quiet({&tensors.input("x")}, problem.at("hidden"), std::ldexp(kQuiet, -exponent),
                       random);
}

void l2_norm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                    Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const HostTensor& x = before.input("x");
  const std::int64_t first = unit * hidden;
  const Scale scale = scale_of(squares_of(x, first, hidden), 1, problem.value("eps"), hidden);
  ExpectedRun run;
  run.first = first;
  for (std::int64_t i = 0; i < hidden; ++i) {
    const double value = x.get(first + i) * scale.factor;
    run.values.push_back(value);
    run.slack.push_back(std::fabs(value) * scale.relative);
  }
  into.push_back(std::move(run));
}

// layer_norm: out = (x - mean) * rsqrt(variance + eps) * weight + bias. A unit is a row.

Problem layer_norm_problem(const ShapeParameters& shape) {
  Problem problem = rms_norm_problem(shape);
  problem.inputs[0].a = 0.5;  // a mean that matters
  problem.inputs.push_back({"bias", shape.dtype, {problem.at("hidden")}, Draw::kNormal, 0, 1});
  problem.parameters = {{"eps", 1e-5}};
  return problem;
}

void layer_norm_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  make_some_rows_quiet({&tensors.input("x")}, problem.at("hidden"), 0x1p-8, random);
  make_some_rows_equal(tensors.input("x"), problem.at("hidden"), random);
}

void layer_norm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                       Expected& into) {
  const std::int64_t hidden = problem.at("hidden");
  const auto count = static_cast<double>(hidden);
  const HostTensor& x = before.input("x");
  const HostTensor& weight = before.input("weight");
  const HostTensor& bias = before.input("bias");
  const std::int64_t first = unit * hidden;
  double sum = 0;
  double magnitude = 0;
  for (std::int64_t i = 0; i < hidden; ++i) {
    sum += x.get(first + i);
    magnitude += std::fabs(x.get(first + i));
  }
  const double mean = sum / count;
  const double mean_slack = positive_sum_slack(magnitude / count, hidden);
  double variance = 0;
  for (std::int64_t i = 0; i < hidden; ++i) {
    variance += (x.get(first + i) - mean) * (x.get(first + i) - mean) / count;
  }
  const double with_eps = variance + problem.value("eps");
  // In one pass the variance is the mean square minus the squared mean, each with its rounding.
  const double variance_slack = positive_sum_slack(variance + mean * mean, hidden) +
                                2 * std::fabs(mean) * mean_slack + fp32_slack(mean * mean, 2);
  const double scale = 1 / std::sqrt(with_eps);
  const double relative = variance_slack / with_eps / 2 + fp32_slack(1, 6);
  ExpectedRun run;
  run.first = first;
  for (std::int64_t i = 0; i < hidden; ++i) {
    const double factor = scale * weight.get(i);
    const double normed = (x.get(first + i) - mean) * factor;
    // Kernels may combine mean and bias into one addend, which is rounded at its own size.
    const double folded = std::fabs(x.get(first + i) * factor) + std::fabs(mean * factor);
    run.values.push_back(normed + bias.get(i));
    run.slack.push_back(std::fabs(normed) * relative + std::fabs(factor) * mean_slack +
                        fp32_slack(folded, 2) + fp32_slack(bias.get(i), 2));
  }
  into.push_back(std::move(run));
}

// fused_qk_rmsnorm: of a row of q, k and v heads, each q and k head becomes
// weight * rounded(x * rsqrt(mean(x^2) + eps)); v heads are copied. A unit is a head of a token.
// The variant does not round before the weight.

std::int64_t all_heads(const Problem& problem) {
  return problem.at("heads") + 2 * problem.at("kv_heads");
}

Problem fused_qk_rmsnorm_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t head_dim = problem.at("head_dim");
  const std::vector<std::int64_t> rows = {problem.at("tokens"), all_heads(problem) * head_dim};
  problem.inputs = {{"hidden", shape.dtype, rows, Draw::kNormal, 0, 1},
                    {"q_weight", shape.dtype, {head_dim}, Draw::kNormal, 1, 0.25},
                    {"k_weight", shape.dtype, {head_dim}, Draw::kNormal, 1, 0.25}};
  problem.outputs = {{"out", shape.dtype, rows}};
  problem.parameters = {{"eps", 1e-6},
                        {"heads", static_cast<double>(problem.at("heads"))},
                        {"kv_heads", static_cast<double>(problem.at("kv_heads"))}};
  return problem;
}

std::int64_t fused_qk_rmsnorm_units(const Problem& problem) {
  return problem.at("tokens") * all_heads(problem);
}

double head_work(const Problem& problem) {
  return 16.0 * static_cast<double>(problem.at("head_dim"));
}

void fused_qk_rmsnorm_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  make_some_rows_quiet({&tensors.input("hidden")}, problem.at("head_dim"), kQuiet, random);
}

template <Rounding kRounding>
void fused_qk_rmsnorm_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                             Expected& into) {
  const std::int64_t head_dim = problem.at("head_dim");
  const std::int64_t head = unit % all_heads(problem);
  const HostTensor& x = before.input("hidden");
  const bool is_q = head < problem.at("heads");
  const bool is_v = head >= problem.at("heads") + problem.at("kv_heads");
  const HostTensor& weight = before.input(is_q ? "q_weight" : "k_weight");
  const std::int64_t first = unit * head_dim;
  const Scale scale = scale_of(squares_of(x, first, head_dim), static_cast<double>(head_dim),
                               problem.value("eps"), head_dim);
  ExpectedRun run;
  run.first = first;
  for (std::int64_t i = 0; i < head_dim; ++i) {
    const double number = x.get(first + i);
    append_to(run, is_v ? Uncertain{number, 0}
                        : weighted({number, 0}, scale, weight.get(i), x.spec->dtype, kRounding));
  }
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 2> kTokens = {"tokens", "hidden"};
constexpr std::array<std::string_view, 2> kRows = {"rows", "hidden"};
constexpr std::array<std::string_view, 4> kHeads = {"tokens", "heads", "kv_heads", "head_dim"};

constexpr std::string_view kBeforeWeight = "rounded_before_weight";
constexpr std::array kRmsVariants = {
    OperatorVariant{kBeforeWeight, rms_norm_expect<Rounding::kBeforeWeight>}};
constexpr std::array kFusedAddVariants = {
    OperatorVariant{kBeforeWeight, fused_add_rms_norm_expect<Rounding::kBeforeWeight>}};
constexpr std::array kGatedVariants = {
    OperatorVariant{kBeforeWeight, gated_rms_norm_expect<Rounding::kBeforeWeight>}};
constexpr std::array kQkVariants = {
    OperatorVariant{"rounded_once", fused_qk_rmsnorm_expect<Rounding::kOnce>}};

constexpr std::array kDefinitions = {
    OperatorDefinition{.name = "rms_norm",
                       .shape_parameters = kTokens,
                       .problem = rms_norm_problem,
                       .draw = rms_norm_draw,
                       .units = tokens_of,
                       .unit_work = row_work,
                       .expect = rms_norm_expect<Rounding::kOnce>,
                       .variants = kRmsVariants,
                       .objection = needs_floating},
    OperatorDefinition{.name = "fused_add_rms_norm",
                       .shape_parameters = kTokens,
                       .problem = fused_add_rms_norm_problem,
                       .draw = fused_add_rms_norm_draw,
                       .units = tokens_of,
                       .unit_work = heavy_row_work,
                       .expect = fused_add_rms_norm_expect<Rounding::kOnce>,
                       .variants = kFusedAddVariants,
                       .objection = needs_floating},
    OperatorDefinition{.name = "gated_rms_norm",
                       .shape_parameters = kRows,
                       .problem = gated_rms_norm_problem,
                       .draw = rms_norm_draw,
                       .units = rows_of,
                       .unit_work = heavy_row_work,
                       .expect = gated_rms_norm_expect<Rounding::kOnce>,
                       .variants = kGatedVariants,
                       .objection = needs_floating},
    OperatorDefinition{.name = "l2_norm",
                       .shape_parameters = kTokens,
                       .problem = l2_norm_problem,
                       .draw = l2_norm_draw,
                       .units = tokens_of,
                       .unit_work = row_work,
                       .expect = l2_norm_expect,
                       .objection = needs_floating},
    OperatorDefinition{.name = "layer_norm",
                       .shape_parameters = kTokens,
                       .problem = layer_norm_problem,
                       .draw = layer_norm_draw,
                       .units = tokens_of,
                       .unit_work = heavy_row_work,
                       .expect = layer_norm_expect,
                       .objection = needs_floating},
    OperatorDefinition{.name = "fused_qk_rmsnorm",
                       .shape_parameters = kHeads,
                       .problem = fused_qk_rmsnorm_problem,
                       .draw = fused_qk_rmsnorm_draw,
                       .units = fused_qk_rmsnorm_units,
                       .unit_work = head_work,
                       .expect = fused_qk_rmsnorm_expect<Rounding::kBeforeWeight>,
                       .variants = kQkVariants,
                       .objection = needs_floating},
};

}  // namespace

std::span<const OperatorDefinition> norm_definitions() {
  return kDefinitions;
}

}  // namespace tactus
