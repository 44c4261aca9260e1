#include <array>
#include <cmath>

#include "operators/definitions/delta_rule.h"
#include "operators/definitions/terms.h"
#include "operators/slack.h"

namespace tactus {
namespace {

// The state M goes from chunk to chunk; G is the g of a chunk's last token:
//   h = bf(M), V_i = u_i - w_i bf(M), v_new = bf(V),
//   V'_i = bf(V_i e^(G - g_i)) where G <= g_i, else 0,  M = M e^G + sum of k_i V'_i.

enum Output : std::uint32_t { kH, kVNew, kFinalState };

/// Correct kernels round to bf16 on both sides of a tie, and the effect goes through all later
/// chunks. Errors are computed along with the values; every rounding that may flip counts as
/// flipped. With four times that, a right kernel was refused once in 16 runs (one number of
/// 165,626).
constexpr double kMargin = 6;

Problem state_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t batch = problem.at("batch");
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t key = problem.at("key_dim");
  const std::int64_t value = problem.at("value_dim");
  const std::int64_t chunks = ceil_div(tokens, problem.at("chunk"));
  // Keys of length 1/2 and w of length 1: what a chunk adds matters as much as what it keeps. With
  // longer ones the state, or its rounding errors, would grow without limit.
  const double unit = 1 / std::sqrt(static_cast<double>(key));
  problem.inputs = {
      {"k",
       NumberType::kBf16,
       {batch, tokens, problem.at("k_heads"), key},
       Draw::kNormal,
       0,
       unit / 2},
      {"w", NumberType::kBf16, {batch, tokens, heads, key}, Draw::kNormal, 0, unit},
      {"u", NumberType::kBf16, {batch, tokens, heads, value}, Draw::kNormal, 0, 1},
      {"g", NumberType::kFp32, {batch, tokens, heads}, Draw::kOperator, 0, 1, Refresh::kColumns},
      {"initial_state_indices",
       NumberType::kInt32,
       {batch},
       Draw::kOperator,
       0,
       static_cast<double>(pool_rows(problem)),
       Refresh::kIds}};
  problem.outputs = {{"h", NumberType::kBf16, {batch, chunks, heads, key, value}},
                     {"v_new", NumberType::kBf16, {batch, tokens, heads, value}},
                     {"final_state",
                      NumberType::kFp32,
                      {pool_rows(problem), heads, key, value},
                      Draw::kNormal,
                      0,
                      1}};
  problem.parameters = {{"chunk", static_cast<double>(problem.at("chunk"))}};
  return problem;
}

void state_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  draw_decays(problem, tensors.input("g"), 0.4, 0.2, random);
  draw_pool_indices(problem, tensors.input("initial_state_indices"), random);
}

std::int64_t state_units(const Problem& problem) {
  return stripe_count(problem) + untouched_units(problem);
}

double state_work(const Problem& problem) {
  return 16.0 * kStripe * static_cast<double>(problem.at("tokens")) *
         static_cast<double>(problem.at("key_dim"));
}

using Lane = std::array<double, kStripe>;

/// A sum of products; one side is rounded to bf16 and may have been rounded the other way.
struct Flipping {
  Lane value = {};
  Lane magnitude = {};
  Lane linear = {};
  Lane squares = {};
  Lane count = {};

  void add(double factor, const Lane& numbers, const Lane& flips) {
    for (std::size_t c = 0; c < kStripe; ++c) {
      const double term = factor * numbers[c];
      const double flip = std::fabs(factor) * flips[c];
      value[c] += term;
      magnitude[c] += std::fabs(term);
      linear[c] += flip;
      squares[c] += flip * flip;
      count[c] += flips[c] > 0 ? 1.0 : 0.0;
    }
  }

  /// A few flips may all have the same sign; many have random signs.
  double off(std::size_t c) const { return count[c] <= 3 ? linear[c] : std::sqrt(squares[c]); }
};

/// A number that was rounded to bf16, and how far the rounding of a correct kernel may be from it.
void round_lane(const Lane& values, const Lane& off, Lane& numbers, Lane& flips) {
  for (std::size_t c = 0; c < kStripe; ++c) {
    numbers[c] = as_bf16(values[c]);
    flips[c] = std::max(as_bf16(values[c] + off[c]) - numbers[c],
                        numbers[c] - as_bf16(values[c] - off[c]));
  }
}

/// The columns of one stripe on their way from chunk to chunk.
struct State {
  std::vector<Lane> values;  ///< one for each number of a key
  std::vector<Lane> off;
};

ExpectedRun run_of(std::uint32_t output, std::int64_t first, const Lane& values, const Lane& off,
                   std::int64_t columns) {
  ExpectedRun run;
  run.output = output;
  run.first = first;
  run.values.assign(values.begin(), values.begin() + columns);
  for (std::int64_t c = 0; c < columns; ++c) {
    run.slack.push_back(kMargin * off[static_cast<std::size_t>(c)]);
  }
  return run;
}

struct Chunk {
  std::int64_t first_row = 0;  ///< sequence * tokens + token
  std::int64_t count = 0;
  double decay = 0;  ///< G
};

/// What V' adds to the state, one sum per number of a key; also sets what v_new must be.
std::vector<Flipping> through_chunk(const Problem& problem, const HostTensors& before,
                                    const Stripe& stripe, const Chunk& chunk, const State& state,
                                    Expected& into) {
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t key = problem.at("key_dim");
  const std::int64_t value = problem.at("value_dim");
  const std::int64_t k_head = shared_head(stripe.head, heads, problem.at("k_heads"));
  std::vector<Lane> numbers(state.values.size());
  std::vector<Lane> flips(state.values.size());
  for (std::size_t d = 0; d < numbers.size(); ++d) {
    round_lane(state.values[d], state.off[d], numbers[d], flips[d]);
  }
  std::vector<Flipping> added(state.values.size());
  std::vector<double> w(state.values.size());
  std::vector<double> k(state.values.size());
  for (std::int64_t i = 0; i < chunk.count; ++i) {
    const std::int64_t row = (chunk.first_row + i) * heads + stripe.head;
    read_row(before.input("w"), row * key, w);
    Flipping product;
    for (std::size_t d = 0; d < w.size(); ++d) product.add(w[d], numbers[d], flips[d]);
    Lane v = {};
    Lane off = {};
    const std::int64_t first = row * value + stripe.first;
    for (std::int64_t column = 0; column < stripe.columns; ++column) {
      const auto c = static_cast<std::size_t>(column);
      const double u = before.input("u").get(first + column);
      v[c] = u - product.value[c];
      off[c] = product.off(c) + sum_slack(product.magnitude[c] + std::fabs(u), key);
    }
    into.push_back(run_of(kVNew, first, v, off, stripe.columns));
    const double g = before.input("g").get(row);
    if (chunk.decay > g) continue;
    const double decay = std::exp(chunk.decay - g);
    for (std::size_t c = 0; c < kStripe; ++c) {
      v[c] *= decay;
      off[c] = off[c] * decay + fp32_slack(v[c]);
    }
    Lane v_number = {};
    Lane v_flip = {};
    round_lane(v, off, v_number, v_flip);
    read_row(before.input("k"), ((chunk.first_row + i) * problem.at("k_heads") + k_head) * key, k);
    for (std::size_t d = 0; d < k.size(); ++d) added[d].add(k[d], v_number, v_flip);
  }
  return added;
}

void advance(State& state, const std::vector<Flipping>& added, const Chunk& chunk) {
  const double decay = std::exp(chunk.decay);
  for (std::size_t d = 0; d < added.size(); ++d) {
    for (std::size_t c = 0; c < kStripe; ++c) {
      const double kept = state.values[d][c] * decay;
      const double off = state.off[d][c] * decay;
      const double fp32 =
          sum_slack(added[d].magnitude[c] + std::fabs(kept), chunk.count) + fp32_slack(kept);
      const double flips = added[d].off(c);
      state.values[d][c] = kept + added[d].value[c];
      state.off[d][c] = std::sqrt(off * off + flips * flips) + fp32;
    }
  }
}

void state_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                  Expected& into) {
  const HostTensor& indices = before.input("initial_state_indices");
  if (unit >= stripe_count(problem)) {
    expect_untouched(problem, before, indices, kFinalState, unit - stripe_count(problem), into);
    return;
  }
  const Stripe stripe = stripe_of(problem, unit);
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t key = problem.at("key_dim");
  const std::int64_t value = problem.at("value_dim");
  const std::int64_t chunk_tokens = problem.at("chunk");
  const std::int64_t chunks = ceil_div(tokens, chunk_tokens);
  const auto column_first = [&](std::int64_t block, std::int64_t d) {
    return (block * key + d) * value + stripe.first;
  };
  State state{std::vector<Lane>(static_cast<std::size_t>(key)),
              std::vector<Lane>(static_cast<std::size_t>(key))};
  const std::int64_t pool_block = indices.as<std::int32_t>()[stripe.sequence] * heads + stripe.head;
  for (std::int64_t d = 0; d < key; ++d) {
    read_row(before.outputs[kFinalState], column_first(pool_block, d),
             std::span(state.values[static_cast<std::size_t>(d)])
                 .first(static_cast<std::size_t>(stripe.columns)));
  }
  for (std::int64_t n = 0; n < chunks; ++n) {
    const std::int64_t block = (stripe.sequence * chunks + n) * heads + stripe.head;
    for (std::int64_t d = 0; d < key; ++d) {
      const auto at = static_cast<std::size_t>(d);
      into.push_back(
          run_of(kH, column_first(block, d), state.values[at], state.off[at], stripe.columns));
    }
    Chunk chunk{stripe.sequence * tokens + n * chunk_tokens,
                std::min(chunk_tokens, tokens - n * chunk_tokens), 0};
    chunk.decay = before.input("g").get((chunk.first_row + chunk.count - 1) * heads + stripe.head);
    advance(state, through_chunk(problem, before, stripe, chunk, state, into), chunk);
  }
  for (std::int64_t d = 0; d < key; ++d) {
    const auto at = static_cast<std::size_t>(d);
    into.push_back(run_of(kFinalState, column_first(pool_block, d), state.values[at], state.off[at],
                          stripe.columns));
  }
}

std::string state_also(const Problem& problem, const HostTensors& before, const HostTensors& after,
                       std::int64_t unit) {
  if (unit >= stripe_count(problem)) return {};
  const Stripe stripe = stripe_of(problem, unit);
  const std::int64_t elements = problem.at("key_dim") * problem.at("value_dim");
  const std::int64_t row =
      before.input("initial_state_indices").as<std::int32_t>()[stripe.sequence];
  return only_bf16_numbers(after.outputs[kFinalState],
                           (row * problem.at("v_heads") + stripe.head) * elements, elements);
}

std::string state_objection(const ShapeParameters& shape) {
  return head_objection(shape, "k_heads");
}

constexpr std::array<std::string_view, 8> kParameters = {
    "batch", "tokens", "k_heads", "v_heads", "key_dim", "value_dim", "states", "chunk"};

}  // namespace

OperatorDefinition chunk_gated_delta_rule_state_definition() {
  return {.name = "chunk_gated_delta_rule_state",
          .shape_parameters = kParameters,
          .problem = state_problem,
          .draw = state_draw,
          .units = state_units,
          .unit_work = state_work,
          .expect = state_expect,
          .also = state_also,
          .objection = state_objection};
}

}  // namespace tactus
