#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "operators/definitions/groups.h"
#include "operators/number_formats.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

const OperatorDefinition& routing(std::string_view name) {
  return definition_in(routing_definitions(), name);
}

void set_all(const HostTensor& tensor, const std::vector<std::int32_t>& values) {
  ASSERT_LE(values.size(), static_cast<std::size_t>(tensor.elements()));
  std::copy(values.begin(), values.end(), tensor.as<std::int32_t>());
}

/// Slots sorted by expert: by a stable sort of pairs, not by buckets.
std::vector<std::int32_t> sorted_slots(const HostTensor& ids) {
  std::vector<std::int32_t> slots(static_cast<std::size_t>(ids.elements()));
  std::iota(slots.begin(), slots.end(), 0);
  std::stable_sort(slots.begin(), slots.end(), [&](std::int32_t a, std::int32_t b) {
    return ids.as<std::int32_t>()[a] < ids.as<std::int32_t>()[b];
  });
  return slots;
}

TEST(MoeAlignBlockSize, pads_the_slots_of_each_expert_to_whole_blocks) {
  const Trial trial(routing("moe_align_block_size"),
                    {{"tokens", 3}, {"top_k", 2}, {"experts", 4}, {"block_size", 2}});
  set_all(trial.before().input("topk_ids"), {3, 0, 0, 3, 2, 3});
  EXPECT_EQ(trial.before().output("sorted_token_ids").elements(), 10);
  const auto kernel = [](std::vector<std::int32_t> sorted, std::vector<std::int32_t> experts,
                         std::int32_t length) {
    return [=](const Problem&, const HostTensors& tensors) {
      set_all(tensors.output("sorted_token_ids"), sorted);
      set_all(tensors.output("expert_ids"), experts);
      set_all(tensors.output("num_tokens_post_pad"), {length});
    };
  };
  EXPECT_EQ(trial.wrong(kernel({1, 2, 4, 6, 0, 3, 5, 6}, {0, 2, 3, 3}, 8)), "");
  EXPECT_EQ(trial.wrong(kernel({1, 2, 4, 6, 0, 3, 5, 6, 77, 78}, {0, 2, 3, 3, 79}, 8)), "")
      << "beyond the length anything goes";
  EXPECT_NE(trial.wrong(kernel({2, 1, 4, 6, 0, 3, 5, 6}, {0, 2, 3, 3}, 8)), "") << "not ascending";
  EXPECT_NE(trial.wrong(kernel({1, 2, 4, 0, 0, 3, 5, 6}, {0, 2, 3, 3}, 8)), "") << "other padding";
  EXPECT_NE(trial.wrong(kernel({1, 2, 4, 6, 0, 3, 5, 6}, {0, 1, 3, 3}, 8)), "");
  EXPECT_NE(trial.wrong(kernel({1, 2, 4, 6, 0, 3, 5, 6}, {0, 2, 3, 3}, 10)), "");
}

TEST(MoeAlignBlockSize, has_room_for_the_worst_routing) {
  for (const std::int64_t tokens : {1, 5, 40, 300}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Trial trial(routing("moe_align_block_size"),
                        {{"tokens", tokens}, {"top_k", 8}, {"experts", 128}, {"block_size", 4}},
                        seed);
      EXPECT_EQ(trial.wrong_if_as_expected(), "");
    }
  }
  // One slot each for all experts but one, which has the rest: no routing needs more blocks.
  const Trial trial(routing("moe_align_block_size"),
                    {{"tokens", 4}, {"top_k", 2}, {"experts", 4}, {"block_size", 5}});
  set_all(trial.before().input("topk_ids"), {0, 1, 2, 3, 3, 3, 3, 3});
  EXPECT_EQ(trial.wrong_if_as_expected(), "");
}

TEST(MoeAlignBlockSize, draws_experts_that_nobody_chooses) {
  const Trial trial(routing("moe_align_block_size"),
                    {{"tokens", 8192}, {"top_k", 8}, {"experts", 128}, {"block_size", 128}});
  std::vector<int> counts(128);
  const HostTensor& ids = trial.before().input("topk_ids");
  for (std::int64_t i = 0; i < ids.elements(); ++i) {
    ++counts.at(static_cast<std::size_t>(ids.as<std::int32_t>()[i]));
  }
  EXPECT_GE(std::count(counts.begin(), counts.end(), 0), 3);
  EXPECT_GE(std::count_if(counts.begin(), counts.end(), [](int n) { return n > 256; }), 100);
}

TEST(MoeCountAndSort, counts_sums_up_and_sorts_stably) {
  const auto kernel = [](bool stable) {
    return [stable](const Problem& problem, const HostTensors& tensors) {
      const HostTensor& ids = tensors.input("topk_ids");
      std::vector<std::int32_t> slots = sorted_slots(ids);
      const auto id = [&](std::int32_t slot) { return ids.as<std::int32_t>()[slot]; };
      if (!stable) std::reverse(slots.begin(), slots.end());
      if (!stable) {
        std::stable_sort(slots.begin(), slots.end(),
                         [&](std::int32_t a, std::int32_t b) { return id(a) < id(b); });
      }
      std::vector<std::int32_t> counts;
      std::vector<std::int32_t> sums = {0};
      for (std::int32_t expert = 0; expert < problem.at("experts"); ++expert) {
        counts.push_back(static_cast<std::int32_t>(std::count_if(
            slots.begin(), slots.end(), [&](std::int32_t slot) { return id(slot) == expert; })));
        sums.push_back(sums.back() + counts.back());
      }
      set_all(tensors.output("sorted_token_ids"), slots);
      set_all(tensors.output("expert_token_counts"), counts);
      set_all(tensors.output("cumsum"), sums);
    };
  };
  for (const std::int64_t tokens : {1, 76}) {
    const Trial trial(routing("moe_count_and_sort"),
                      {{"tokens", tokens}, {"top_k", 8}, {"experts", 128}});
    EXPECT_EQ(trial.wrong(kernel(true)), "");
    if (tokens > 1) {
      EXPECT_NE(trial.wrong(kernel(false)), "");
    }
  }
}

struct GatingOptions {
  bool takes_off_largest = true;
  bool renormalised = false;
  bool last_of_equals = false;
  bool ascending = false;
  bool off_by_one = false;  ///< skips the largest
  bool repeats = false;     ///< the same id everywhere
  bool bf16_weights = false;
};

Trial::Kernel gating_kernel(const GatingOptions& options) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t experts = problem.at("experts");
    const std::int64_t top_k = problem.at("top_k");
    for (std::int64_t row = 0; row < problem.at("tokens"); ++row) {
      const float* x = tensors.input("gating").as<float>() + row * experts;
      const float largest = options.takes_off_largest ? *std::max_element(x, x + experts) : 0;
      std::vector<float> weights;
      float sum = 0;
      for (std::int64_t i = 0; i < experts; ++i) {
        weights.push_back(std::exp(x[i] - largest));
        sum += weights.back();
      }
      for (float& weight : weights) weight /= sum;
      std::vector<std::int32_t> order(static_cast<std::size_t>(experts));
      std::iota(order.begin(), order.end(), 0);
      if (options.last_of_equals) std::reverse(order.begin(), order.end());
      std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return weights[static_cast<std::size_t>(a)] > weights[static_cast<std::size_t>(b)];
      });
      if (options.off_by_one) order.erase(order.begin());
      order.resize(static_cast<std::size_t>(top_k));
      if (options.ascending) std::reverse(order.begin(), order.end());
      float kept = 0;
      for (const std::int32_t id : order) kept += weights[static_cast<std::size_t>(id)];
      for (std::int64_t k = 0; k < top_k; ++k) {
        const std::int32_t id = order[static_cast<std::size_t>(k)];
        float weight = weights[static_cast<std::size_t>(id)];
        if (options.renormalised) weight /= kept;
        if (options.bf16_weights) weight = bf16_to_float(float_to_bf16(weight));
        tensors.output("topk_weights").set(row * top_k + k, weight);
        tensors.output("topk_ids").set(row * top_k + k, options.repeats ? order[0] : id);
      }
    }
  };
}

TEST(MoeTopkGatingSoftmax, accepts_equal_weights_in_any_order) {
  for (const std::int64_t experts : {128, 256}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Trial trial(routing("moe_topk_gating_softmax"),
                        {{"top_k", 8}, {"tokens", 64}, {"experts", experts}}, seed);
      EXPECT_EQ(trial.wrong(gating_kernel({})), "");
      EXPECT_NE(trial.wrong(gating_kernel({.takes_off_largest = false})), "") << "exp overflows";
      EXPECT_EQ(trial.wrong(gating_kernel({.last_of_equals = true})), "");
    }
  }
}

TEST(MoeTopkGatingSoftmax, refuses_other_weights_and_other_experts) {
  const Trial trial(routing("moe_topk_gating_softmax"),
                    {{"top_k", 8}, {"tokens", 64}, {"experts", 128}});
  EXPECT_NE(trial.wrong(gating_kernel({.renormalised = true})), "");
  EXPECT_NE(trial.wrong(gating_kernel({.ascending = true})), "");
  EXPECT_NE(trial.wrong(gating_kernel({.off_by_one = true})), "");
  EXPECT_NE(trial.wrong(gating_kernel({.bf16_weights = true})), "");
  EXPECT_EQ(trial.wrong(gating_kernel({.repeats = true})).substr(0, 15), "unit 0: row 0: ");
  EXPECT_NE(trial.wrong([](const Problem& problem, const HostTensors& tensors) {
    gating_kernel({})(problem, tensors);
    tensors.output("topk_ids").set(5, 128);
  }),
            "")
      << "no such expert";
}

TEST(MoeTopkGatingSoftmax, needs_as_many_experts_as_it_takes) {
  ShapeParameters shape;
  shape.values = {{"top_k", 8}, {"tokens", 1}, {"experts", 7}};
  const Result<Problem> problem = make_problem(routing("moe_topk_gating_softmax"), shape);
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().message, "moe_topk_gating_softmax: top_k must not be above experts");
}

/// `extra` more or fewer than top_k are kept; ties beyond it only if `keeps_ties`.
Trial::Kernel filter_kernel(std::int64_t extra, bool keeps_ties, float filler) {
  return [=](const Problem& problem, const HostTensors& tensors) {
    const std::int64_t vocabulary = problem.at("vocabulary");
    const std::int64_t top_k = problem.at("top_k") + extra;
    for (std::int64_t row = 0; row < problem.at("tokens"); ++row) {
      const float* x = tensors.input("logits").as<float>() + row * vocabulary;
      std::vector<float> sorted(x, x + vocabulary);
      std::sort(sorted.begin(), sorted.end());
      const float threshold = sorted[static_cast<std::size_t>(vocabulary - top_k)];
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < vocabulary; ++i) {
        const bool keep = x[i] >= threshold && (keeps_ties || kept < top_k);
        kept += keep ? 1 : 0;
        tensors.output("out").set(row * vocabulary + i, keep ? x[i] : filler);
      }
    }
  };
}

TEST(TopkFilter, keeps_the_largest_and_all_that_equal_the_last_of_them) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Trial trial(routing("topk_filter"), {{"tokens", 6}, {"vocabulary", 4002}, {"top_k", 50}});
  EXPECT_EQ(trial.wrong(filter_kernel(0, true, -infinity)), "");
  EXPECT_NE(trial.wrong(filter_kernel(0, false, -infinity)), "") << "ties dropped";
  EXPECT_NE(trial.wrong(filter_kernel(1, true, -infinity)), "");
  EXPECT_NE(trial.wrong(filter_kernel(-1, true, -infinity)), "");
  EXPECT_NE(trial.wrong(filter_kernel(0, true, -3e38f)), "") << "large, but not infinite";
}

TEST(TopkFilter, keeps_all_where_all_are_asked_for) {
  const Trial trial(routing("topk_filter"), {{"tokens", 2}, {"vocabulary", 9}, {"top_k", 9}});
  EXPECT_EQ(trial.wrong(filter_kernel(0, true, 0)), "");
}

}  // namespace
}  // namespace tactus::testing
