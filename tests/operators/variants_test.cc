// Roundings that kernels in production have, besides those of the definitions.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/checking/judge.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

using Expect = void (*)(const Problem&, const HostTensors&, std::int64_t, Expected&);
using Values = std::vector<std::pair<std::string, std::int64_t>>;

Values sizes_of(std::string_view name) {
  if (name == "gated_rms_norm") return {{"rows", 48}, {"hidden", 192}};
  if (name == "fused_qk_rmsnorm") {
    return {{"tokens", 12}, {"heads", 4}, {"kv_heads", 2}, {"head_dim", 128}};
  }
  if (name == "silu_and_mul") return {{"tokens", 48}, {"width", 256}};
  if (name == "causal_conv1d") return {{"tokens", 96}, {"channels", 24}, {"width", 4}};
  return {{"tokens", 48}, {"hidden", 192}};
}

CheckedOutputs judged(const Trial& trial, Expect expect) {
  CheckedOutputs judgement;
  trial.wrong([&](const Problem& problem, const HostTensors& tensors) {
    for (std::int64_t unit = 0; unit < trial.definition().units(problem); ++unit) {
      Expected expected;
      expect(problem, tensors, unit, expected);
      for (const ExpectedRun& run : expected) {
        for (std::size_t i = 0; i < run.values.size(); ++i) {
          tensors.outputs[run.output].set(run.first + static_cast<std::int64_t>(i), run.values[i]);
        }
      }
    }
    judgement = judge(trial.definition(), problem, trial.before(), tensors, 1e18, 1, 2);
  });
  return judgement;
}

TEST(Variants, are_accepted_and_named) {
  int variants = 0;
  for (const OperatorDefinition* definition : operator_definitions()) {
    if (definition->variants.empty()) continue;
    const Trial trial(*definition, sizes_of(definition->name));
    const CheckedOutputs plain = judged(trial, definition->expect);
    EXPECT_TRUE(plain.right) << definition->name << ": " << plain.first;
    EXPECT_EQ(plain.variant, "") << definition->name;
    for (const OperatorVariant& variant : definition->variants) {
      const CheckedOutputs judgement = judged(trial, variant.expect);
      EXPECT_TRUE(judgement.right) << definition->name << ": " << judgement.first;
      EXPECT_EQ(judgement.variant, variant.name) << definition->name;
      ++variants;
    }
  }
  EXPECT_EQ(variants, 7);
}

TEST(Variants, do_not_let_other_numbers_through) {
  for (const OperatorDefinition* definition : operator_definitions()) {
    for (const OperatorVariant& variant : definition->variants) {
      const Trial trial(*definition, sizes_of(definition->name));
      CheckedOutputs judgement;
      trial.wrong([&](const Problem& problem, const HostTensors& tensors) {
        for (std::int64_t unit = 0; unit < definition->units(problem); ++unit) {
          Expected expected;
          variant.expect(problem, tensors, unit, expected);
          for (const ExpectedRun& run : expected) {
            for (std::size_t i = 0; i < run.values.size(); ++i) {
              tensors.outputs[run.output].set(run.first + static_cast<std::int64_t>(i),
                                              run.values[i]);
            }
          }
        }
        const HostTensor& out = tensors.outputs[0];
        out.set(3, out.get(3) * 1.5 + 1);
        judgement = judge(*definition, problem, trial.before(), tensors, 1e18, 1, 2);
      });
      EXPECT_FALSE(judgement.right) << definition->name;
      EXPECT_EQ(judgement.variant, "");
      EXPECT_FALSE(judgement.wrong_units.empty());
    }
  }
}

}  // namespace
}  // namespace tactus::testing
