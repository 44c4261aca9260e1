#include <array>
#include <cmath>

#include "operators/definitions/delta_rule.h"
#include "operators/definitions/terms.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// Token by token, in fp32, with q and k of length 1:
//   g = -e^A_log softplus(a + dt_bias), M *= e^g, e = (v - k M) sigmoid(b), M += k e,
//   out = bf(scale * q M).

enum Output : std::uint32_t { kOut, kFinalState };

constexpr double kSmallestNorm = 1e-6;

/// Errors go through the tokens as standard deviations of independent roundings.
constexpr double kMargin = 4;

Problem update_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t batch = problem.at("batch");
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t key = problem.at("key_dim");
  const std::int64_t value = problem.at("value_dim");
  const std::vector<std::int64_t> qk = {batch, tokens, problem.at("q_heads"), key};
  const std::vector<std::int64_t> gates = {batch, tokens, heads};
  problem.inputs = {// A decay of about a tenth per token: the state remembers.
                    {"A_log", NumberType::kFp32, {heads}, Draw::kNormal, -2, 0.5},
                    {"a", NumberType::kBf16, gates, Draw::kNormal, 0, 1},
                    {"dt_bias", NumberType::kBf16, {heads}, Draw::kNormal, 0, 1},
                    {"q", NumberType::kBf16, qk, Draw::kNormal, 0, 1},
                    {"k", NumberType::kBf16, qk, Draw::kNormal, 0, 1},
                    {"v", NumberType::kBf16, {batch, tokens, heads, value}, Draw::kNormal, 0, 1},
                    {"b", NumberType::kBf16, gates, Draw::kNormal, 0, 1},
                    {"indices",
                     NumberType::kInt32,
                     {batch},
                     Draw::kOperator,
                     0,
                     static_cast<double>(pool_rows(problem)),
                     Refresh::kIds}};
  problem.outputs = {{"out", NumberType::kBf16, {batch, tokens, heads, value}},
                     {"final_state",
                      NumberType::kFp32,
                      {pool_rows(problem), heads, key, value},
                      Draw::kNormal,
                      0,
                      1}};
  problem.parameters = {{"scale", 1 / std::sqrt(static_cast<double>(key))},
                        {"smallest_norm", kSmallestNorm}};
  return problem;
}

void update_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  draw_pool_indices(problem, tensors.input("indices"), random);
}

std::int64_t update_units(const Problem& problem) {
  return stripe_count(problem) + untouched_units(problem);
}

double update_work(const Problem& problem) {
  return 16.0 * kStripe * static_cast<double>(problem.at("tokens")) *
         static_cast<double>(problem.at("key_dim"));
}

using Lane = std::array<double, kStripe>;

struct State {
  std::vector<Lane> values;    ///< one for each number of a key
  std::vector<Lane> variance;  ///< of the rounding errors of right kernels
};

double square(double x) {
  return x * x;
}

void normalise(std::vector<double>& row) {
  const double norm = std::max(std::sqrt(dot(row, row).value), kSmallestNorm);
  for (double& number : row) number /= norm;
}

struct Gates {
  double decay = 0;      ///< e^g
  double decay_off = 0;  ///< relative
  double beta = 0;
};

Gates gates_of(const HostTensors& before, std::int64_t head, std::int64_t row) {
  const double rate = std::exp(before.input("A_log").get(head));
  const double x = before.input("a").get(row) + before.input("dt_bias").get(head);
  const double g = -rate * (x > 20 ? x : std::log1p(std::exp(x)));
  // Some roundings of g, and log(1 + small), which loses what 1 + small loses.
  const double off = fp32_slack(g) + rate * fp32_slack(1, 2) + fp32_slack(1, 4);
  return {std::exp(g), off, 1 / (1 + std::exp(-before.input("b").get(row)))};
}

/// A sum over the numbers of a key.
struct Product {
  Lane value = {};
  Lane magnitude = {};
  Lane variance = {};

  void add(double factor, const Lane& numbers, const Lane& variances) {
    for (std::size_t c = 0; c < kStripe; ++c) {
      const double term = factor * numbers[c];
      value[c] += term;
      magnitude[c] += std::fabs(term);
      variance[c] += factor * factor * variances[c];
    }
  }
};

void step(State& state, std::span<const double> k, const Lane& v, const Gates& gates) {
  const auto terms = static_cast<std::int64_t>(k.size());
  const double norm_off = sum_slack(1, terms) / 2 + fp32_slack(1, 3);
  Product seen;
  for (std::size_t d = 0; d < k.size(); ++d) {
    for (std::size_t c = 0; c < kStripe; ++c) {
      state.values[d][c] *= gates.decay;
      state.variance[d][c] =
          state.variance[d][c] * square(gates.decay) + square(gates.decay_off * state.values[d][c]);
    }
    seen.add(k[d], state.values[d], state.variance[d]);
  }
  Lane error = {};
  Lane variance = {};
  for (std::size_t c = 0; c < kStripe; ++c) {
    error[c] = (v[c] - seen.value[c]) * gates.beta;
    const double sum_off =
        sum_slack(std::fabs(v[c]) + seen.magnitude[c], terms) + norm_off * std::fabs(seen.value[c]);
    variance[c] = square(gates.beta) * (seen.variance[c] + square(sum_off)) +
                  square((fp32_slack(1) + norm_off) * error[c]);
  }
  for (std::size_t d = 0; d < k.size(); ++d) {
    for (std::size_t c = 0; c < kStripe; ++c) {
      state.values[d][c] += k[d] * error[c];
      state.variance[d][c] +=
          square(k[d]) * variance[c] + square(fp32_slack(state.values[d][c], 2));
    }
  }
}

ExpectedRun out_run(const State& state, std::span<const double> q, double scale,
                    const Stripe& stripe) {
  const auto terms = static_cast<std::int64_t>(q.size());
  const double norm_off = sum_slack(1, terms) / 2 + fp32_slack(1);
  Product product;
  for (std::size_t d = 0; d < q.size(); ++d) product.add(q[d], state.values[d], state.variance[d]);
  ExpectedRun run;
  run.output = kOut;
  for (std::int64_t column = 0; column < stripe.columns; ++column) {
    const auto c = static_cast<std::size_t>(column);
    run.values.push_back(product.value[c] * scale);
    run.slack.push_back((kMargin * std::sqrt(product.variance[c]) +
                         sum_slack(product.magnitude[c], terms) +
                         norm_off * std::fabs(product.value[c])) *
                        scale);
  }
  return run;
}

void update_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                   Expected& into) {
  const HostTensor& indices = before.input("indices");
  if (unit >= stripe_count(problem)) {
    expect_untouched(problem, before, indices, kFinalState, unit - stripe_count(problem), into);
    return;
  }
  const Stripe stripe = stripe_of(problem, unit);
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t q_heads = problem.at("q_heads");
  const std::int64_t key = problem.at("key_dim");
  const std::int64_t value = problem.at("value_dim");
  const std::int64_t q_head = shared_head(stripe.head, heads, q_heads);
  const auto columns = static_cast<std::size_t>(stripe.columns);
  const std::int64_t pool_block = indices.as<std::int32_t>()[stripe.sequence] * heads + stripe.head;
  const auto pool_first = [&](std::int64_t d) {
    return (pool_block * key + d) * value + stripe.first;
  };
  State state{std::vector<Lane>(static_cast<std::size_t>(key)),
              std::vector<Lane>(static_cast<std::size_t>(key))};
  for (std::int64_t d = 0; d < key; ++d) {
    read_row(before.outputs[kFinalState], pool_first(d),
             std::span(state.values[static_cast<std::size_t>(d)]).first(columns));
  }
  std::vector<double> q(static_cast<std::size_t>(key));
  std::vector<double> k(static_cast<std::size_t>(key));
  Lane v = {};
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::int64_t token = stripe.sequence * tokens + t;
    const std::int64_t row = token * heads + stripe.head;
    const std::int64_t first = row * value + stripe.first;
    read_row(before.input("q"), (token * q_heads + q_head) * key, q);
    read_row(before.input("k"), (token * q_heads + q_head) * key, k);
    read_row(before.input("v"), first, std::span(v).first(columns));
    normalise(q);
    normalise(k);
    step(state, k, v, gates_of(before, stripe.head, row));
    into.push_back(out_run(state, q, problem.value("scale"), stripe));
    into.back().first = first;
  }
  for (std::int64_t d = 0; d < key; ++d) {
    ExpectedRun run;
    run.output = kFinalState;
    run.first = pool_first(d);
    for (std::size_t c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>(d);
      run.values.push_back(state.values[at][c]);
      run.slack.push_back(kMargin * std::sqrt(state.variance[at][c]));
    }
    into.push_back(std::move(run));
  }
}

std::string update_objection(const ShapeParameters& shape) {
  return head_objection(shape, "q_heads");
}

constexpr std::array<std::string_view, 7> kParameters = {
    "batch", "tokens", "q_heads", "v_heads", "key_dim", "value_dim", "states"};

}  // namespace

OperatorDefinition gated_delta_rule_update_definition() {
  return {.name = "gated_delta_rule_update",
          .shape_parameters = kParameters,
          .problem = update_problem,
          .draw = update_draw,
          .units = update_units,
          .unit_work = update_work,
          .expect = update_expect,
          .objection = update_objection};
}

}  // namespace tactus
