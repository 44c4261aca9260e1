#include <array>
#include <cmath>

#include "operators/definitions/groups.h"
#include "operators/definitions/rows.h"
#include "operators/slack.h"

namespace tactus {
namespace {

void append(ExpectedRun& run, double value, double slack) {
  run.values.push_back(value);
  run.slack.push_back(slack);
}

/// The cosine and sine of an angle, and their possible errors: `along` turns the pair a little
/// further, `each` is the error of either one alone.
struct Turn {
  double cosine = 1;
  double sine = 0;
  double along = 0;
  double each = 0;
};

/// One head, rotated in its first `rope_dim` numbers, where number i and number i + rope_dim / 2
/// are a pair; the rest is copied. `turn_of` gives the turn of pair i.
template <class TurnOf>
void append_rotated(const HostTensor& x, std::int64_t first, std::int64_t head_dim,
                    std::int64_t rope_dim, TurnOf turn_of, ExpectedRun& run) {
  const std::int64_t half = rope_dim / 2;
  for (std::int64_t i = 0; i < head_dim; ++i) {
    const double self = x.get(first + i);
    if (i >= rope_dim) {
      append(run, self, 0);
      continue;
    }
    const bool left = i < half;
    const double other = (left ? -1 : 1) * x.get(first + (left ? i + half : i - half));
    const Turn turn = turn_of(left ? i : i - half);
    const double a = self * turn.cosine;
    const double b = other * turn.sine;
    // Two products and a sum in fp32, fused or not.
    const double slack = fp32_slack(std::fabs(a) + std::fabs(b), 2) +
                         std::fabs(other * turn.cosine - self * turn.sine) * turn.along +
                         (std::fabs(self) + std::fabs(other)) * turn.each;
    append(run, a + b, slack);
  }
}

std::string rope_objection(const ShapeParameters& shape) {
  const std::int64_t rope_dim = *shape.find("rope_dim");
  if (rope_dim % 2 != 0) return "rope_dim must be even: pairs are rotated";
  if (rope_dim > *shape.find("head_dim")) return "rope_dim must not be above head_dim";
  return needs_floating(shape);
}

double head_work(const Problem& problem) {
  return 60.0 * static_cast<double>(problem.at("head_dim"));
}

// fused_qkv_rope: splits rows of q, k and v heads; q and k are rotated by position * base^(-2i /
// rope_dim). A unit is a head of a token.

std::int64_t all_heads(const Problem& problem) {
  return problem.at("heads") + 2 * problem.at("kv_heads");
}

Problem qkv_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t heads = problem.at("heads");
  const std::int64_t kv_heads = problem.at("kv_heads");
  const std::int64_t head_dim = problem.at("head_dim");
  problem.inputs = {
      {"qkv", shape.dtype, {tokens, all_heads(problem) * head_dim}, Draw::kNormal, 0, 1},
      {"positions", NumberType::kInt32, {tokens}, Draw::kOperator, 0, 1, Refresh::kNumbers}};
  problem.outputs = {{"q", shape.dtype, {tokens, heads, head_dim}},
                     {"k", shape.dtype, {tokens, kv_heads, head_dim}},
                     {"v", shape.dtype, {tokens, kv_heads, head_dim}}};
  problem.parameters = {{"base", 10000}, {"rope_dim", static_cast<double>(problem.at("rope_dim"))}};
  return problem;
}

void qkv_draw(const Problem&, const HostTensors& tensors, Random& random) {
  // As many below 362 as above, because fp32 has the angle of a large position less exactly. Never
  // 0, which turns nothing.
  constexpr double kPositions = 131072;
  const HostTensor& positions = tensors.input("positions");
  for (std::int64_t t = 0; t < positions.elements(); ++t) {
    positions.set(t, std::floor(std::pow(kPositions, random.uniform())));
  }
}

std::int64_t qkv_units(const Problem& problem) {
  return problem.at("tokens") * all_heads(problem);
}

void qkv_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                Expected& into) {
  const std::int64_t heads = problem.at("heads");
  const std::int64_t kv_heads = problem.at("kv_heads");
  const std::int64_t head_dim = problem.at("head_dim");
  const std::int64_t rope_dim = problem.at("rope_dim");
  const std::int64_t token = unit / all_heads(problem);
  const std::int64_t head = unit % all_heads(problem);
  const double position = before.input("positions").get(token);
  const auto turn_of = [&](std::int64_t i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(rope_dim);
    const double logarithm = exponent * std::log(problem.value("base"));
    const double angle = position * std::exp(logarithm);
    // The power in fp32 is exact to 4 units on a GPU, or is the exp of a logarithm; then the
    // rounding of the logarithm counts as many times as its size, and so does that of its constant.
    // The first is 1.
    const double along = i == 0 ? 0 : fp32_slack(angle, 10 - 2 * logarithm);
    return Turn{std::cos(angle), std::sin(angle), along, fp32_slack(1, 2)};
  };
  ExpectedRun run;
  const bool is_v = head >= heads + kv_heads;
  if (head < heads) {
    run.output = 0;
    run.first = (token * heads + head) * head_dim;
  } else {
    run.output = is_v ? 2 : 1;
    run.first = (token * kv_heads + (head - heads) % kv_heads) * head_dim;
  }
  append_rotated(before.input("qkv"), unit * head_dim, head_dim, is_v ? 0 : rope_dim, turn_of, run);
  into.push_back(std::move(run));
}

// mrope: q and k rotated by given cosines and sines; pair i takes plane 0, 1 or 2 of them by the
// section it is in. A unit is a head of a token.

/// How many pairs of the `half` take plane 0 and plane 1: 16 and 24 of 64.
std::array<std::int64_t, 2> sections_of(std::int64_t half) {
  return {half / 4, half * 3 / 8};
}

Problem mrope_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t half = problem.at("rope_dim") / 2;
  const std::vector<std::int64_t> q = {tokens, problem.at("heads") * problem.at("head_dim")};
  const std::vector<std::int64_t> k = {tokens, problem.at("kv_heads") * problem.at("head_dim")};
  // Not from one angle each: a kernel gets both and must read both.
  problem.inputs = {{"q", shape.dtype, q, Draw::kNormal, 0, 1},
                    {"k", shape.dtype, k, Draw::kNormal, 0, 1},
                    {"cos", NumberType::kFp32, {3, tokens, half}, Draw::kUniform, -1, 1},
                    {"sin", NumberType::kFp32, {3, tokens, half}, Draw::kUniform, -1, 1}};
  problem.outputs = {{"q", shape.dtype, q}, {"k", shape.dtype, k}};
  const auto [first, second] = sections_of(half);
  problem.parameters = {{"head_dim", static_cast<double>(problem.at("head_dim"))},
                        {"rope_dim", static_cast<double>(problem.at("rope_dim"))},
                        {"section_0", static_cast<double>(first)},
                        {"section_1", static_cast<double>(second)},
                        {"section_2", static_cast<double>(half - first - second)}};
  return problem;
}

std::string mrope_objection(const ShapeParameters& shape) {
  if (*shape.find("rope_dim") % 16 != 0) return "rope_dim must be a multiple of 16, for sections";
  return rope_objection(shape);
}

std::int64_t mrope_units(const Problem& problem) {
  return problem.at("tokens") * (problem.at("heads") + problem.at("kv_heads"));
}

void mrope_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                  Expected& into) {
  const std::int64_t heads = problem.at("heads");
  const std::int64_t kv_heads = problem.at("kv_heads");
  const std::int64_t head_dim = problem.at("head_dim");
  const std::int64_t half = problem.at("rope_dim") / 2;
  const std::int64_t token = unit / (heads + kv_heads);
  const std::int64_t head = unit % (heads + kv_heads);
  const auto [first, second] = sections_of(half);
  const auto turn_of = [&, first = first, second = second](std::int64_t i) {
    const std::int64_t plane = i < first ? 0 : i < first + second ? 1 : 2;
    const std::int64_t at = (plane * problem.at("tokens") + token) * half + i;
    return Turn{before.input("cos").get(at), before.input("sin").get(at), 0, 0};
  };
  ExpectedRun run;
  const bool is_q = head < heads;
  run.output = is_q ? 0 : 1;
  run.first = (is_q ? token * heads + head : token * kv_heads + head - heads) * head_dim;
  append_rotated(before.input(is_q ? "q" : "k"), run.first, head_dim, 2 * half, turn_of, run);
  into.push_back(std::move(run));
}

// reshape_and_cache: row t of key and value goes to row slot_mapping[t] of the caches, unless that
// is negative; all other rows stay. A unit is a row of the caches.

Problem cache_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t heads = problem.at("heads");
  const std::int64_t head_dim = problem.at("head_dim");
  const std::int64_t block = problem.at("block_size");
  const std::vector<std::int64_t> rows = {tokens, heads, head_dim};
  const std::vector<std::int64_t> cache = {(tokens + block - 1) / block, block, heads, head_dim};
  problem.inputs = {
      {"key", shape.dtype, rows, Draw::kNormal, 0, 1},
      {"value", shape.dtype, rows, Draw::kNormal, 0, 1},
      {"slot_mapping", NumberType::kInt64, {tokens}, Draw::kOperator, 0, 1, Refresh::kNumbers}};
  problem.outputs = {{"key_cache", shape.dtype, cache, Draw::kNormal, 0, 1},
                     {"value_cache", shape.dtype, cache, Draw::kNormal, 0, 1}};
  return problem;
}

std::int64_t cache_rows(const Problem& problem) {
  return problem.outputs[0].shape[0] * problem.outputs[0].shape[1];
}

double cache_work(const Problem& problem) {
  return static_cast<double>(problem.at("tokens") +
                             2 * problem.at("heads") * problem.at("head_dim"));
}

void cache_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  std::vector<std::int64_t> slots(static_cast<std::size_t>(cache_rows(problem)));
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<std::int64_t>(i);
  const HostTensor& mapping = tensors.input("slot_mapping");
  // The first of a shuffle, in which even a single token is not at its own place. Some tokens are
  // padding and go nowhere, but never all. The token of slot 0 is padding too, which catches a
  // kernel that takes padding as slot 0.
  for (std::int64_t t = 0; t < mapping.elements(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    const auto left = static_cast<std::int64_t>(slots.size() - at);
    const std::int64_t skipped = t == 0 && left > 1 ? 1 : 0;
    const std::int64_t other = skipped + random.below(left - skipped);
    std::swap(slots[at], slots[at + static_cast<std::size_t>(other)]);
    const bool padding = t > 0 && (random.below(16) == 0 || slots[at] == 0);
    mapping.as<std::int64_t>()[t] = padding ? -1 : slots[at];
  }
}

void cache_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                  Expected& into) {
  const std::int64_t row = problem.at("heads") * problem.at("head_dim");
  const HostTensor& mapping = before.input("slot_mapping");
  std::int64_t token = 0;
  while (token < mapping.elements() && mapping.as<std::int64_t>()[token] != unit) ++token;
  const bool written = token < mapping.elements();
  for (const std::uint32_t output : {0u, 1u}) {
    const HostTensor& from = written ? before.inputs[output] : before.outputs[output];
    const std::int64_t first = (written ? token : unit) * row;
    ExpectedRun run;
    run.output = output;
    run.first = unit * row;
    for (std::int64_t i = 0; i < row; ++i) append(run, from.get(first + i), 0);
    into.push_back(std::move(run));
  }
}

constexpr std::array<std::string_view, 5> kRope = {"tokens", "heads", "kv_heads", "head_dim",
                                                   "rope_dim"};
constexpr std::array<std::string_view, 4> kCache = {"tokens", "heads", "head_dim", "block_size"};

constexpr std::array kDefinitions = {
    OperatorDefinition{.name = "fused_qkv_rope",
                       .shape_parameters = kRope,
                       .problem = qkv_problem,
                       .draw = qkv_draw,
                       .units = qkv_units,
                       .unit_work = head_work,
                       .expect = qkv_expect,
                       .objection = rope_objection},
    OperatorDefinition{.name = "mrope",
                       .shape_parameters = kRope,
                       .problem = mrope_problem,
                       .units = mrope_units,
                       .unit_work = head_work,
                       .expect = mrope_expect,
                       .objection = mrope_objection},
    OperatorDefinition{.name = "reshape_and_cache",
                       .shape_parameters = kCache,
                       .problem = cache_problem,
                       .draw = cache_draw,
                       .units = cache_rows,
                       .unit_work = cache_work,
                       .expect = cache_expect,
                       .objection = needs_floating},
};

}  // namespace

std::span<const OperatorDefinition> rope_definitions() {
  return kDefinitions;
}

}  // namespace tactus
