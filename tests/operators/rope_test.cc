#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "operators/definitions/groups.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

const OperatorDefinition& rope(std::string_view name) {
  return definition_in(rope_definitions(), name);
}

float at(const HostTensor& tensor, std::int64_t index) {
  return static_cast<float>(tensor.get(index));
}

struct QkvOptions {
  bool rotates = true;
  bool by_exponential = false;  ///< frequencies by exp2 of a product instead of a power
  bool interleaved = false;     ///< pairs of neighbours
  float base = 10000;
  float sign = 1;
  bool rotates_v = false;
  float shift = 0;  ///< of the position
};

Trial::Kernel qkv_kernel(const QkvOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t heads = problem.at("heads");
    const std::int64_t kv_heads = problem.at("kv_heads");
    const std::int64_t d = problem.at("head_dim");
    const std::int64_t rope_dim = problem.at("rope_dim");
    const std::int64_t all = heads + 2 * kv_heads;
    for (std::int64_t row = 0; row < problem.at("tokens") * all; ++row) {
      const std::int64_t token = row / all;
      const std::int64_t head = row % all;
      const bool is_q = head < heads;
      const bool is_v = head >= heads + kv_heads;
      const HostTensor& out = tensors.output(is_q ? "q" : is_v ? "v" : "k");
      const std::int64_t first =
          is_q ? (token * heads + head) * d : (token * kv_heads + (head - heads) % kv_heads) * d;
      for (std::int64_t i = 0; i < d; ++i)
        out.set(first + i, at(tensors.input("qkv"), row * d + i));
      if (!options.rotates || (is_v && !options.rotates_v)) continue;
      for (std::int64_t i = 0; i < rope_dim / 2; ++i) {
        const float exponent = 2 * static_cast<float>(i) / static_cast<float>(rope_dim);
        const float frequency = options.by_exponential
                                    ? std::exp2(-exponent * std::log2(options.base))
                                    : 1 / std::pow(options.base, exponent);
        const float angle =
            (at(tensors.input("positions"), token) + options.shift) * frequency * options.sign;
        const std::int64_t left = options.interleaved ? 2 * i : i;
        const std::int64_t right = options.interleaved ? 2 * i + 1 : i + rope_dim / 2;
        const float a = at(tensors.input("qkv"), row * d + left);
        const float b = at(tensors.input("qkv"), row * d + right);
        out.set(first + left, a * std::cos(angle) - b * std::sin(angle));
        out.set(first + right, b * std::cos(angle) + a * std::sin(angle));
      }
    }
  };
}

TEST(FusedQkvRope, turns_pairs_by_the_position) {
  const Trial tiny(
      rope("fused_qkv_rope"),
      {{"tokens", 1}, {"heads", 1}, {"kv_heads", 1}, {"head_dim", 4}, {"rope_dim", 4}});
  tiny.before().input("positions").set(0, 100);
  for (int i = 0; i < 12; ++i) tiny.before().input("qkv").set(i, i + 1);
  EXPECT_EQ(tiny.wrong([](const Problem&, const HostTensors& tensors) {
    // Frequencies 1 and 1/100: angles 100 and 1. cos 100 = 0.862319, sin 100 = -0.506366.
    const double q[] = {1 * 0.862319 + 3 * 0.506366, 2 * 0.540302 - 4 * 0.841471,
                        3 * 0.862319 - 1 * 0.506366, 4 * 0.540302 + 2 * 0.841471};
    const double k[] = {5 * 0.862319 + 7 * 0.506366, 6 * 0.540302 - 8 * 0.841471,
                        7 * 0.862319 - 5 * 0.506366, 8 * 0.540302 + 6 * 0.841471};
    for (int i = 0; i < 4; ++i) {
      tensors.output("q").set(i, q[i]);
      tensors.output("k").set(i, k[i]);
      tensors.output("v").set(i, 9 + i);
    }
  }),
            "");
}

TEST(FusedQkvRope, catches_what_does_not_turn_even_in_shapes_of_one_token) {
  for (const NumberType dtype : {NumberType::kBf16, NumberType::kFp16}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Trial trial(
          rope("fused_qkv_rope"),
          {{"rope_dim", 128}, {"tokens", 1}, {"heads", 32}, {"kv_heads", 4}, {"head_dim", 128}},
          seed, dtype);
      EXPECT_EQ(trial.wrong(qkv_kernel({})), "");
      EXPECT_EQ(trial.wrong(qkv_kernel({.by_exponential = true})), "");
      EXPECT_EQ(trial.wrong_if_as_expected(), "");
      EXPECT_NE(trial.wrong(qkv_kernel({.rotates = false})), "");
      EXPECT_NE(trial.wrong(qkv_kernel({.interleaved = true})), "");
      EXPECT_NE(trial.wrong(qkv_kernel({.base = 10100})), "");
      EXPECT_NE(trial.wrong(qkv_kernel({.sign = -1})), "");
      EXPECT_NE(trial.wrong(qkv_kernel({.rotates_v = true})), "");
      EXPECT_NE(trial.wrong(qkv_kernel({.shift = 1})), "");
    }
  }
}

TEST(FusedQkvRope, leaves_what_lies_beyond_the_rotated_part) {
  const Trial trial(
      rope("fused_qkv_rope"),
      {{"rope_dim", 32}, {"tokens", 3}, {"heads", 4}, {"kv_heads", 2}, {"head_dim", 64}});
  EXPECT_EQ(trial.wrong(qkv_kernel({})), "");
}

TEST(FusedQkvRope, needs_pairs_within_a_head) {
  const auto error = [](std::int64_t rope_dim) {
    ShapeParameters shape;
    shape.values = {
        {"tokens", 1}, {"heads", 1}, {"kv_heads", 1}, {"head_dim", 64}, {"rope_dim", rope_dim}};
    const Result<Problem> problem = make_problem(rope("fused_qkv_rope"), shape);
    return problem ? "" : problem.error().message;
  };
  EXPECT_EQ(error(64), "");
  EXPECT_EQ(error(63), "fused_qkv_rope: rope_dim must be even: pairs are rotated");
  EXPECT_EQ(error(66), "fused_qkv_rope: rope_dim must not be above head_dim");
}

struct MropeOptions {
  std::int64_t first = 16;
  std::int64_t second = 24;
  bool interleaved = false;
  bool rotates = true;
  bool fused = false;  ///< multiply and add in one rounding
};

Trial::Kernel mrope_kernel(const MropeOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t tokens = problem.at("tokens");
    const std::int64_t d = problem.at("head_dim");
    const std::int64_t half = problem.at("rope_dim") / 2;
    for (const char* name : {"q", "k"}) {
      const HostTensor& x = tensors.input(name);
      const HostTensor& out = tensors.output(name);
      const std::int64_t heads = x.elements() / tokens / d;
      for (std::int64_t head = 0; head < tokens * heads; ++head) {
        for (std::int64_t i = 0; i < half; ++i) {
          const std::int64_t plane = i < options.first                    ? 0
                                     : i < options.first + options.second ? 1
                                                                          : 2;
          const std::int64_t angle = (plane * tokens + head / heads) * half + i;
          const float cosine = options.rotates ? at(tensors.input("cos"), angle) : 1;
          const float sine = options.rotates ? at(tensors.input("sin"), angle) : 0;
          const std::int64_t left = head * d + (options.interleaved ? 2 * i : i);
          const std::int64_t right = options.interleaved ? left + 1 : left + half;
          const float a = at(x, left);
          const float b = at(x, right);
          if (options.fused) {
            out.set(left, std::fma(a, cosine, -(b * sine)));
            out.set(right, std::fma(b, cosine, a * sine));
          } else {
            out.set(left, a * cosine - b * sine);
            out.set(right, b * cosine + a * sine);
          }
        }
      }
    }
  };
}

TEST(Mrope, takes_its_angles_from_three_planes) {
  const Trial trial(
      rope("mrope"),
      {{"tokens", 17}, {"heads", 16}, {"kv_heads", 1}, {"head_dim", 128}, {"rope_dim", 128}});
  EXPECT_EQ(trial.problem().value("section_0"), 16);
  EXPECT_EQ(trial.problem().value("section_1"), 24);
  EXPECT_EQ(trial.problem().value("section_2"), 24);
  EXPECT_EQ(trial.wrong(mrope_kernel({})), "");
  EXPECT_EQ(trial.wrong(mrope_kernel({.fused = true})), "");
  EXPECT_EQ(trial.wrong_if_as_expected(), "");
  EXPECT_NE(trial.wrong(mrope_kernel({.first = 64})), "") << "one plane for all";
  EXPECT_NE(trial.wrong(mrope_kernel({.first = 24, .second = 16})), "");
  EXPECT_NE(trial.wrong(mrope_kernel({.interleaved = true})), "");
  EXPECT_NE(trial.wrong(mrope_kernel({.rotates = false})), "");
}

struct CacheOptions {
  bool skips_negative = true;
  bool in_order = false;     ///< ignores the mapping
  bool clears = false;       ///< the caches first
  bool writes_value = true;  ///< else key into both
};

Trial::Kernel cache_kernel(const CacheOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t row = problem.at("heads") * problem.at("head_dim");
    for (const char* name : {"key", "value"}) {
      const HostTensor& cache = tensors.output(std::string(name) + "_cache");
      const HostTensor& from = tensors.input(options.writes_value ? name : "key");
      if (options.clears) std::memset(cache.data, 0, static_cast<std::size_t>(cache.spec->bytes()));
      for (std::int64_t t = 0; t < problem.at("tokens"); ++t) {
        std::int64_t slot = tensors.input("slot_mapping").as<std::int64_t>()[t];
        if (options.in_order) slot = t;
        if (slot < 0 && options.skips_negative) continue;
        if (slot < 0) slot = 0;
        for (std::int64_t i = 0; i < row; ++i) cache.set(slot * row + i, from.get(t * row + i));
      }
    }
  };
}

TEST(ReshapeAndCache, writes_rows_to_their_slots_and_leaves_the_others) {
  for (const std::int64_t tokens : {1, 144}) {
    const Trial trial(rope("reshape_and_cache"),
                      {{"tokens", tokens}, {"heads", 2}, {"head_dim", 16}, {"block_size", 16}});
    EXPECT_EQ(trial.wrong(cache_kernel({})), "");
    EXPECT_NE(trial.wrong(cache_kernel({.in_order = true})), "");
    EXPECT_NE(trial.wrong(cache_kernel({.clears = true})), "") << "rows that were not to change";
    EXPECT_NE(trial.wrong(cache_kernel({.writes_value = false})), "");
    EXPECT_NE(trial.wrong([](const Problem&, const HostTensors&) {}), "");
    if (tokens > 1) {
      EXPECT_NE(trial.wrong(cache_kernel({.skips_negative = false})), "");
    }
  }
}

TEST(ReshapeAndCache, draws_slots_once_each_with_some_padding) {
  const Trial trial(rope("reshape_and_cache"),
                    {{"tokens", 2044}, {"heads", 1}, {"head_dim", 8}, {"block_size", 16}});
  const HostTensor& mapping = trial.before().input("slot_mapping");
  std::set<std::int64_t> slots;
  std::int64_t padding = 0;
  for (std::int64_t t = 0; t < 2044; ++t) {
    const std::int64_t slot = mapping.as<std::int64_t>()[t];
    if (slot < 0) {
      ++padding;
      continue;
    }
    EXPECT_LT(slot, 2048);
    EXPECT_TRUE(slots.insert(slot).second) << slot << " twice";
  }
  EXPECT_GT(padding, 0);
  EXPECT_GT(slots.size(), 1800U);
}

}  // namespace
}  // namespace tactus::testing
