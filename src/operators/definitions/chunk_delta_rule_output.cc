#include <array>
#include <cmath>

#include "operators/definitions/delta_rule.h"
#include "operators/definitions/terms.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// In a chunk that starts with state h, for token i:
//   out_i = scale * (e^g_i q_i h + sum over j <= i with g_i <= g_j of bf(e^(g_i-g_j) q_i.k_j) v_j)
// A unit is one token of one head.

Problem output_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t batch = problem.at("batch");
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t key = problem.at("key_dim");
  const std::int64_t value = problem.at("value_dim");
  const std::vector<std::int64_t> qk = {batch, tokens, problem.at("q_heads"), key};
  const std::int64_t chunks = ceil_div(tokens, problem.at("chunk"));
  problem.inputs = {
      {"q", NumberType::kBf16, qk, Draw::kNormal, 0, 1},
      {"k", NumberType::kBf16, qk, Draw::kNormal, 0, 1},
      {"v", NumberType::kBf16, {batch, tokens, heads, value}, Draw::kNormal, 0, 1},
      // Larger than the others, so that the state matters as much as the chunk itself.
      {"h", NumberType::kBf16, {batch, chunks, heads, key, value}, Draw::kNormal, 0, 4},
      {"g", NumberType::kFp32, {batch, tokens, heads}, Draw::kOperator, 0, 1, Refresh::kColumns}};
  problem.outputs = {{"out", NumberType::kBf16, {batch, tokens, heads, value}}};
  problem.parameters = {{"scale", 1 / std::sqrt(static_cast<double>(key))},
                        {"chunk", static_cast<double>(problem.at("chunk"))}};
  return problem;
}

void output_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  draw_decays(problem, tensors.input("g"), 1, 0.25, random);
}

std::int64_t output_units(const Problem& problem) {
  return problem.at("batch") * problem.at("tokens") * problem.at("v_heads");
}

double output_work(const Problem& problem) {
  const auto key = static_cast<double>(problem.at("key_dim"));
  const auto value = static_cast<double>(problem.at("value_dim"));
  return 2 * key * value + static_cast<double>(problem.at("chunk")) * (key + value);
}

/// One output before it is scaled.
struct Partial {
  double value = 0;
  double magnitude = 0;
  double flips = 0;  ///< total effect of bf16 roundings that may go the other way
};

void add_state(std::vector<Partial>& out, const HostTensor& h, std::int64_t first,
               std::span<const double> q, double decay) {
  std::vector<double> row(out.size());
  for (std::size_t d = 0; d < q.size(); ++d) {
    read_row(h, first + static_cast<std::int64_t>(d * out.size()), row);
    for (std::size_t c = 0; c < out.size(); ++c) {
      const double term = q[d] * row[c] * decay;
      out[c].value += term;
      out[c].magnitude += std::fabs(term);
    }
  }
}

void add_token(std::vector<Partial>& out, const ProductSum& product, double decay,
               std::span<const double> v, std::int64_t terms) {
  const double score = product.value * decay;
  const double off = sum_slack(product.magnitude * decay, terms) + fp32_slack(score);
  const double weight = as_bf16(score);
  // If fp32 may put the score on the other side of a tie, it is off by one spacing of bf16.
  const double flip = std::max(as_bf16(score + off) - weight, weight - as_bf16(score - off));
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c].value += weight * v[c];
    out[c].magnitude += std::fabs(weight * v[c]);
    out[c].flips += flip * std::fabs(v[c]);
  }
}

void output_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                   Expected& into) {
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t q_heads = problem.at("q_heads");
  const std::int64_t key = problem.at("key_dim");
  const std::int64_t value = problem.at("value_dim");
  const std::int64_t chunk = problem.at("chunk");
  const std::int64_t head = unit % heads;
  const std::int64_t token = unit / heads % tokens;
  const std::int64_t sequence = unit / heads / tokens;
  const std::int64_t q_head = shared_head(head, heads, q_heads);
  const HostTensor& g = before.input("g");
  const auto qk_first = [&](std::int64_t t) {
    return ((sequence * tokens + t) * q_heads + q_head) * key;
  };
  const std::vector<double> q = row_of(before.input("q"), qk_first(token), key);
  const double own_g = g.get(unit);
  std::vector<Partial> out(static_cast<std::size_t>(value));
  const std::int64_t chunks = ceil_div(tokens, chunk);
  const std::int64_t state = (sequence * chunks + token / chunk) * heads + head;
  add_state(out, before.input("h"), state * key * value, q, std::exp(own_g));
  std::vector<double> k(q.size());
  std::vector<double> v(out.size());
  for (std::int64_t t = token / chunk * chunk; t <= token; ++t) {
    const std::int64_t row = (sequence * tokens + t) * heads + head;
    const double other_g = g.get(row);
    if (own_g > other_g) continue;
    read_row(before.input("k"), qk_first(t), k);
    read_row(before.input("v"), row * value, v);
    add_token(out, dot(q, k), std::exp(own_g - other_g), v, key);
  }
  const double scale = problem.value("scale");
  ExpectedRun run;
  run.first = unit * value;
  for (const Partial& partial : out) {
    run.values.push_back(partial.value * scale);
    run.slack.push_back((sum_slack(partial.magnitude, key + chunk) + partial.flips) * scale +
                        fp32_slack(partial.value * scale));
  }
  into.push_back(std::move(run));
}

std::string output_objection(const ShapeParameters& shape) {
  return head_objection(shape, "q_heads");
}

constexpr std::array<std::string_view, 7> kParameters = {
    "batch", "tokens", "q_heads", "v_heads", "key_dim", "value_dim", "chunk"};

}  // namespace

OperatorDefinition chunk_delta_rule_output_definition() {
  return {.name = "chunk_delta_rule_output",
          .shape_parameters = kParameters,
          .problem = output_problem,
          .draw = output_draw,
          .units = output_units,
          .unit_work = output_work,
          .expect = output_expect,
          .objection = output_objection};
}

}  // namespace tactus
