// Linear attention by the gated delta rule: the state of chunks, their outputs, token by token.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "operators/definitions/groups.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

using Values = std::vector<std::pair<std::string, std::int64_t>>;
using Matrix = std::vector<std::vector<float>>;

float at(const HostTensor& tensor, std::int64_t index) {
  return static_cast<float>(tensor.get(index));
}

float as_bf16(float value) {
  return bf16_to_float(float_to_bf16(value));
}

Matrix matrix(std::int64_t rows, std::int64_t columns) {
  return Matrix(static_cast<std::size_t>(rows),
                std::vector<float>(static_cast<std::size_t>(columns)));
}

void set_zero(const HostTensor& tensor) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) tensor.set(i, 0);
}

const OperatorDefinition& definition(std::string_view name) {
  return definition_in(delta_rule_definitions(), name);
}

// ---- chunk_delta_rule_output

Values output_values(std::int64_t tokens, std::int64_t heads = 4) {
  return {{"batch", 1},    {"tokens", tokens}, {"q_heads", heads / 2}, {"v_heads", heads},
          {"key_dim", 64}, {"value_dim", 32},  {"chunk", 16}};
}

struct OutputVariant {
  bool state = true;
  bool all_pairs = false;  ///< also where the decay of the pair is above 1
  bool decayed = true;
};

/// Tokens of a chunk from the last to the first, sums in fp32.
Trial::Kernel output_kernel(OutputVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("v_heads");
    const std::int64_t q_heads = problem.at("q_heads");
    const std::int64_t key = problem.at("key_dim");
    const std::int64_t value = problem.at("value_dim");
    const std::int64_t chunk = problem.at("chunk");
    const HostTensor& g = tensors.input("g");
    for (std::int64_t i = 0; i < problem.at("tokens") * heads; ++i) {
      const std::int64_t t = i / heads;
      const std::int64_t q_first = (t * q_heads + i % heads / (heads / q_heads)) * key;
      std::vector<float> out(static_cast<std::size_t>(value));
      for (std::int64_t s = t; s >= t / chunk * chunk; --s) {
        const float other = at(g, s * heads + i % heads);
        if (at(g, i) > other && !variant.all_pairs) continue;
        float score = 0;
        for (std::int64_t d = 0; d < key; ++d) {
          score += at(tensors.input("q"), q_first + d) *
                   at(tensors.input("k"), q_first + (s - t) * q_heads * key + d);
        }
        const float weight = as_bf16(score * (variant.decayed ? std::exp(at(g, i) - other) : 1.0f));
        for (std::int64_t c = 0; c < value; ++c) {
          out[static_cast<std::size_t>(c)] +=
              weight * at(tensors.input("v"), (s * heads + i % heads) * value + c);
        }
      }
      for (std::int64_t c = 0; c < value; ++c) {
        float kept = 0;
        for (std::int64_t d = 0; d < key && variant.state; ++d) {
          const std::int64_t block = t / chunk * heads + i % heads;
          kept += at(tensors.input("q"), q_first + d) *
                  at(tensors.input("h"), (block * key + d) * value + c);
        }
        const float sum = out[static_cast<std::size_t>(c)] + kept * std::exp(at(g, i));
        tensors.output("out").set(
            i * value + c, static_cast<double>(sum * static_cast<float>(problem.value("scale"))));
      }
    }
  };
}

TEST(ChunkDeltaRuleOutput, adds_the_state_and_the_tokens_before) {
  const Trial trial(definition("chunk_delta_rule_output"), {{"batch", 1},
                                                            {"tokens", 3},
                                                            {"q_heads", 1},
                                                            {"v_heads", 1},
                                                            {"key_dim", 4},
                                                            {"value_dim", 1},
                                                            {"chunk", 2}});
  const HostTensors& tensors = trial.before();
  for (std::int64_t i = 0; i < 12; ++i) {
    tensors.input("q").set(i, 1);
    tensors.input("k").set(i, i < 4 ? 0.25 : 0.5);
  }
  const double v[] = {4, 3, 5};
  const double g[] = {0, -std::log(2.0), 0};
  for (std::int64_t i = 0; i < 3; ++i) {
    tensors.input("v").set(i, v[i]);
    tensors.input("g").set(i, g[i]);
  }
  for (std::int64_t i = 0; i < 8; ++i) tensors.input("h").set(i, i < 4 ? 2 : -1);
  // Token 0: 8 + 1*4. Token 1: 8/2 + 4*(1/2) + 2*3. Token 2, a chunk of its own: -4 + 2*5.
  // Half of each.
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& made) {
    made.output("out").set(0, 6);
    made.output("out").set(1, 6);
    made.output("out").set(2, 3);
  }),
            "");
}

TEST(ChunkDeltaRuleOutput, drops_pairs_whose_decay_would_be_growth) {
  const Trial trial(definition("chunk_delta_rule_output"), {{"batch", 1},
                                                            {"tokens", 2},
                                                            {"q_heads", 1},
                                                            {"v_heads", 1},
                                                            {"key_dim", 1},
                                                            {"value_dim", 1},
                                                            {"chunk", 2}});
  const HostTensors& tensors = trial.before();
  for (std::int64_t i = 0; i < 2; ++i) {
    for (const char* name : {"q", "k", "v"}) tensors.input(name).set(i, 1);
    tensors.input("g").set(i, i == 0 ? -1 : 0);
  }
  tensors.input("h").set(0, 0);
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& made) {
    made.output("out").set(0, 1);
    made.output("out").set(1, 1);
  }),
            "");
}

TEST(ChunkDeltaRuleOutput, accepts_fp32_in_another_order) {
  EXPECT_EQ(
      Trial(definition("chunk_delta_rule_output"), output_values(120), 3).wrong(output_kernel()),
      "");
}

TEST(ChunkDeltaRuleOutput, refuses_zeros) {
  EXPECT_FALSE(Trial(definition("chunk_delta_rule_output"), output_values(16))
                   .right([](const Problem&, const HostTensors& tensors) {
                     set_zero(tensors.output("out"));
                   }));
}

TEST(ChunkDeltaRuleOutput, refuses_no_state_no_decay_and_pairs_in_the_wrong_order) {
  const Trial trial(definition("chunk_delta_rule_output"), output_values(40));
  EXPECT_FALSE(trial.right(output_kernel({.state = false})));
  EXPECT_FALSE(trial.right(output_kernel({.all_pairs = true})));
  EXPECT_FALSE(trial.right(output_kernel({.decayed = false})));
}

// ---- chunk_gated_delta_rule_state

Values state_values(std::int64_t tokens, std::int64_t states = 5) {
  return {{"batch", 1},    {"tokens", tokens}, {"k_heads", 1},     {"v_heads", 2},
          {"key_dim", 64}, {"value_dim", 16},  {"states", states}, {"chunk", 32}};
}

struct StateVariant {
  bool decayed = true;
  bool all_tokens = false;  ///< also those that decay less than their chunk
  bool in_place = true;
};

/// In fp32, sums from the last number to the first.
Trial::Kernel state_kernel(StateVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("v_heads");
    const std::int64_t k_heads = problem.at("k_heads");
    const std::int64_t key = problem.at("key_dim");
    const std::int64_t value = problem.at("value_dim");
    const std::int64_t tokens = problem.at("tokens");
    const std::int64_t chunk = problem.at("chunk");
    const HostTensor& g = tensors.input("g");
    const HostTensor& pool = tensors.output("final_state");
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto row = static_cast<std::int64_t>(tensors.input("initial_state_indices").get(0));
      const std::int64_t pool_first = (row * heads + head) * key * value;
      for (std::int64_t c = 0; c < value; ++c) {
        std::vector<float> state;
        for (std::int64_t d = 0; d < key; ++d) {
          state.push_back(at(pool, pool_first + d * value + c));
        }
        for (std::int64_t first = 0; first < tokens; first += chunk) {
          const std::int64_t end = std::min(first + chunk, tokens);
          const float last = at(g, (end - 1) * heads + head);
          std::vector<float> next = state;
          for (std::int64_t d = 0; d < key; ++d) {
            const auto i = static_cast<std::size_t>(d);
            const std::int64_t block = first / chunk * heads + head;
            tensors.output("h").set((block * key + d) * value + c, static_cast<double>(state[i]));
            next[i] *= variant.decayed ? std::exp(last) : 1.0f;
          }
          for (std::int64_t t = end - 1; t >= first; --t) {
            const std::int64_t at_row = t * heads + head;
            float product = 0;
            for (std::int64_t d = key - 1; d >= 0; --d) {
              product += at(tensors.input("w"), at_row * key + d) *
                         as_bf16(state[static_cast<std::size_t>(d)]);
            }
            const float v = at(tensors.input("u"), at_row * value + c) - product;
            tensors.output("v_new").set(at_row * value + c, static_cast<double>(v));
            if (last > at(g, at_row) && !variant.all_tokens) continue;
            const float added = as_bf16(v * std::exp(last - at(g, at_row)));
            for (std::int64_t d = 0; d < key; ++d) {
              const std::int64_t k_head = head / (heads / k_heads);
              next[static_cast<std::size_t>(d)] +=
                  at(tensors.input("k"), (t * k_heads + k_head) * key + d) * added;
            }
          }
          state = next;
        }
        for (std::int64_t d = 0; d < key && variant.in_place; ++d) {
          pool.set(pool_first + d * value + c,
                   static_cast<double>(state[static_cast<std::size_t>(d)]));
        }
      }
    }
  };
}

const OperatorDefinition& state() {
  return definition("chunk_gated_delta_rule_state");
}

TEST(ChunkGatedDeltaRuleState, carries_a_state_from_chunk_to_chunk) {
  const Trial trial(state(), {{"batch", 1},
                              {"tokens", 3},
                              {"k_heads", 1},
                              {"v_heads", 1},
                              {"key_dim", 1},
                              {"value_dim", 1},
                              {"states", 1},
                              {"chunk", 2}});
  const HostTensors& tensors = trial.before();
  tensors.output("final_state").set(0, 4);
  const double k[] = {1, 2, 1};
  const double w[] = {0.5, 0.25, 1};
  const double u[] = {3, 2, 1};
  const double g[] = {0, -std::log(2.0), 0};
  for (std::int64_t i = 0; i < 3; ++i) {
    tensors.input("k").set(i, k[i]);
    tensors.input("w").set(i, w[i]);
    tensors.input("u").set(i, u[i]);
    tensors.input("g").set(i, g[i]);
  }
  // V = 3 - 2, 2 - 1; of the first a half is left: M = 4/2 + 1*0.5 + 2*1 = 4.5.
  // Then V = 1 - 4.5 and M = 4.5 - 3.5.
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& made) {
    made.output("h").set(0, 4);
    made.output("h").set(1, 4.5);
    made.output("v_new").set(0, 1);
    made.output("v_new").set(1, 1);
    made.output("v_new").set(2, -3.5);
    made.output("final_state").set(0, 1);
  }),
            "");
}

TEST(ChunkGatedDeltaRuleState, accepts_fp32_in_another_order) {
  EXPECT_EQ(Trial(state(), state_values(1000), 3).wrong(state_kernel()), "");
}

TEST(ChunkGatedDeltaRuleState, keeps_its_numbers_in_bounds_over_many_chunks) {
  const Trial trial(state(), state_values(4096));
  Expected expected;
  state().expect(trial.problem(), trial.before(), 0, expected);
  double squares = 0;
  double slack = 0;
  for (const ExpectedRun& run : expected) {
    if (run.output != 2) continue;
    for (std::size_t i = 0; i < run.values.size(); ++i) {
      squares += run.values[i] * run.values[i];
      slack = std::max(slack, run.slack[i]);
    }
  }
  const double size = std::sqrt(squares / (64 * 8));
  EXPECT_GT(size, 0.2);
  EXPECT_LT(size, 5);
  EXPECT_LT(slack, size / 5) << "what is allowed stays small beside the numbers";
}

TEST(ChunkGatedDeltaRuleState, refuses_zeros_and_missing_decays) {
  const Trial trial(state(), state_values(100));
  EXPECT_FALSE(trial.right([](const Problem&, const HostTensors& tensors) {
    for (const HostTensor& output : tensors.outputs) set_zero(output);
  }));
  EXPECT_FALSE(trial.right(state_kernel({.decayed = false})));
  EXPECT_FALSE(trial.right(state_kernel({.all_tokens = true})));
}

TEST(ChunkGatedDeltaRuleState, refuses_a_pool_that_was_not_updated) {
  EXPECT_FALSE(Trial(state(), state_values(64)).right(state_kernel({.in_place = false})));
}

TEST(ChunkGatedDeltaRuleState, refuses_a_final_state_in_bf16) {
  const Trial trial(state(), state_values(600));
  EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
    state_kernel()(problem, tensors);
    const HostTensor& pool = tensors.output("final_state");
    const auto row = static_cast<std::int64_t>(tensors.input("initial_state_indices").get(0));
    const std::int64_t elements = pool.elements() / 5;
    for (std::int64_t i = row * elements; i < (row + 1) * elements; ++i) {
      pool.set(i, static_cast<double>(as_bf16(at(pool, i))));
    }
  }));
}

/// Changes all rows of the pool that no sequence owns.
void spoil_free_rows(const HostTensor& pool, const HostTensor& indices) {
  const std::int64_t rows = pool.spec->shape[0];
  const std::int64_t elements = pool.elements() / rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (static_cast<double>(row) == indices.get(0)) continue;
    for (std::int64_t i = 0; i < elements; ++i) pool.set(row * elements + i, 0);
  }
}

TEST(ChunkGatedDeltaRuleState, refuses_changes_to_states_of_others) {
  const Trial trial(state(), state_values(64, 40));
  EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
    state_kernel()(problem, tensors);
    spoil_free_rows(tensors.output("final_state"), tensors.input("initial_state_indices"));
  }));
}

// ---- gated_delta_rule_update

Values update_values(std::int64_t tokens) {
  return {{"batch", 1},    {"tokens", tokens}, {"q_heads", 1}, {"v_heads", 2},
          {"key_dim", 64}, {"value_dim", 24},  {"states", 3}};
}

struct UpdateVariant {
  bool normalised = true;
  bool in_place = true;
  bool decayed = true;
  bool bf16_state = false;  ///< between tokens
  /// What the state and its correction are as operands of products.
  float (*operand)(float) = [](float number) { return number; };
};

Trial::Kernel update_kernel(UpdateVariant variant = {}) {
  return [variant](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("v_heads");
    const std::int64_t key = problem.at("key_dim");
    const std::int64_t value = problem.at("value_dim");
    const HostTensor& pool = tensors.output("final_state");
    const auto row = static_cast<std::int64_t>(tensors.input("indices").get(0));
    const auto unit_row = [&](const HostTensor& tensor, std::int64_t t, std::int64_t head) {
      const std::int64_t q_heads = problem.at("q_heads");
      std::vector<float> numbers;
      float squares = 0;
      for (std::int64_t d = 0; d < key; ++d) {
        numbers.push_back(at(tensor, (t * q_heads + head / (heads / q_heads)) * key + d));
        squares += numbers.back() * numbers.back();
      }
      const float norm = variant.normalised ? std::max(std::sqrt(squares), 1e-6f) : 1.0f;
      for (float& number : numbers) number /= norm;
      return numbers;
    };
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t pool_first = (row * heads + head) * key * value;
      Matrix state = matrix(key, value);
      for (std::int64_t i = 0; i < key * value; ++i) {
        state[static_cast<std::size_t>(i / value)][static_cast<std::size_t>(i % value)] =
            at(pool, pool_first + i);
      }
      for (std::int64_t t = 0; t < problem.at("tokens"); ++t) {
        const std::int64_t gate = t * heads + head;
        const float x = at(tensors.input("a"), gate) + at(tensors.input("dt_bias"), head);
        const float g = -std::exp(at(tensors.input("A_log"), head)) * std::log(1 + std::exp(x));
        const float decay = variant.decayed ? std::exp(g) : 1.0f;
        const float beta = 1 / (1 + std::exp(-at(tensors.input("b"), gate)));
        const std::vector<float> k = unit_row(tensors.input("k"), t, head);
        const std::vector<float> q = unit_row(tensors.input("q"), t, head);
        for (std::size_t c = 0; c < static_cast<std::size_t>(value); ++c) {
          const auto at_c = gate * value + static_cast<std::int64_t>(c);
          float seen = 0;
          for (std::size_t d = k.size(); d-- > 0;) seen += k[d] * variant.operand(state[d][c]);
          const float error = variant.operand((at(tensors.input("v"), at_c) - seen * decay) * beta);
          float out = 0;
          for (std::size_t d = k.size(); d-- > 0;) {
            state[d][c] = state[d][c] * decay + k[d] * error;
            if (variant.bf16_state) state[d][c] = as_bf16(state[d][c]);
            out += q[d] * variant.operand(state[d][c]);
          }
          tensors.output("out").set(
              at_c, static_cast<double>(out * static_cast<float>(problem.value("scale"))));
        }
      }
      for (std::int64_t i = 0; i < key * value && variant.in_place; ++i) {
        pool.set(
            pool_first + i,
            static_cast<double>(
                state[static_cast<std::size_t>(i / value)][static_cast<std::size_t>(i % value)]));
      }
    }
  };
}

const OperatorDefinition& update() {
  return definition("gated_delta_rule_update");
}

TEST(GatedDeltaRuleUpdate, moves_the_state_towards_what_the_token_says) {
  const Trial trial(update(), {{"batch", 1},
                               {"tokens", 1},
                               {"q_heads", 1},
                               {"v_heads", 1},
                               {"key_dim", 4},
                               {"value_dim", 1},
                               {"states", 1}});
  const HostTensors& tensors = trial.before();
  const double k[] = {3, 0, 4, 0};
  for (std::int64_t i = 0; i < 4; ++i) {
    tensors.input("q").set(i, 7);
    tensors.input("k").set(i, k[i]);
    tensors.output("final_state").set(i, 8);
  }
  tensors.input("A_log").set(0, 0);
  tensors.input("a").set(0, 0.5);
  tensors.input("dt_bias").set(0, -0.5);  // softplus(0) = ln 2: the state is halved
  tensors.input("v").set(0, 10);
  tensors.input("b").set(0, 0);  // half way
  // k = (0.6, 0, 0.8, 0): it says 5.6 where 10 is wanted, so 2.2 k is added to (4, 4, 4, 4).
  // q = (0.5, 0.5, 0.5, 0.5), scale a half: (5.32 + 4 + 5.76 + 4) / 4 = 4.77.
  EXPECT_EQ(trial.wrong([](const Problem&, const HostTensors& made) {
    made.output("out").set(0, 4.77);
    const double wanted[] = {5.32, 4, 5.76, 4};
    for (std::int64_t i = 0; i < 4; ++i) made.output("final_state").set(i, wanted[i]);
  }),
            "");
}

TEST(GatedDeltaRuleUpdate, accepts_fp32_in_another_order) {
  EXPECT_EQ(Trial(update(), update_values(1), 2).wrong(update_kernel()), "");
  EXPECT_EQ(Trial(update(), update_values(700), 3).wrong(update_kernel()), "");
}

TEST(GatedDeltaRuleUpdate, refuses_zeros) {
  for (const std::int64_t tokens : {1, 64}) {
    const Trial trial(update(), update_values(tokens));
    EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
      update_kernel()(problem, tensors);
      set_zero(tensors.output("out"));
    }));
    EXPECT_FALSE(trial.right([](const Problem& problem, const HostTensors& tensors) {
      update_kernel()(problem, tensors);
      set_zero(tensors.output("final_state"));
    }));
  }
}

TEST(GatedDeltaRuleUpdate, refuses_long_keys_no_decay_and_a_state_that_stays) {
  const Trial trial(update(), update_values(20));
  EXPECT_FALSE(trial.right(update_kernel({.normalised = false})));
  EXPECT_FALSE(trial.right(update_kernel({.in_place = false})));
  EXPECT_FALSE(trial.right(update_kernel({.decayed = false})));
}

TEST(GatedDeltaRuleUpdate, refuses_a_state_in_bf16) {
  EXPECT_FALSE(Trial(update(), update_values(1)).right(update_kernel({.bf16_state = true})));
  EXPECT_FALSE(Trial(update(), update_values(50)).right(update_kernel({.bf16_state = true})));
}

float as_fp16(float value) {
  return static_cast<float>(rounded(NumberType::kFp16, static_cast<double>(value)));
}

// The bound charges the matrix units with two products in fp16 instead of one: as many as a right
// result needs.
TEST(GatedDeltaRuleUpdate, accepts_products_of_two_fp16_parts) {
  const auto two_parts = [](float x) { return as_fp16(x) + as_fp16(x - as_fp16(x)); };
  for (const std::int64_t tokens : {1, 50, 700}) {
    EXPECT_EQ(
        Trial(update(), update_values(tokens), 4).wrong(update_kernel({.operand = two_parts})), "");
  }
}

TEST(GatedDeltaRuleUpdate, refuses_products_of_fewer_bits) {
  const auto one_part = [](float x) { return as_fp16(x); };
  const auto two_bf16_parts = [](float x) { return as_bf16(x) + as_bf16(x - as_bf16(x)); };
  for (const std::int64_t tokens : {1, 50}) {
    const Trial trial(update(), update_values(tokens), 4);
    EXPECT_FALSE(trial.right(update_kernel({.operand = as_bf16})));
    EXPECT_FALSE(trial.right(update_kernel({.operand = one_part})));
    EXPECT_FALSE(trial.right(update_kernel({.operand = two_bf16_parts})));
  }
}

TEST(GatedDeltaRuleUpdate, refuses_changes_to_states_of_others) {
  EXPECT_FALSE(Trial(update(), update_values(5))
                   .right([](const Problem& problem, const HostTensors& tensors) {
                     update_kernel()(problem, tensors);
                     spoil_free_rows(tensors.output("final_state"), tensors.input("indices"));
                   }));
}

TEST(GatedDeltaRuleUpdate, says_what_is_wrong_with_a_shape) {
  Values values = update_values(4);
  values[3].second = 3;
  values[2].second = 2;
  ShapeParameters shape;
  shape.values = values;
  EXPECT_EQ(make_problem(update(), shape).error().message,
            "gated_delta_rule_update: v_heads of 3 is not a multiple of q_heads of 2");
}

}  // namespace
}  // namespace tactus::testing
