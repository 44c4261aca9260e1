#include "measure/regroup.h"

#include <gtest/gtest.h>

#include "base/progress.h"
#include "cycles/engine_trace.h"
#include "explain/verdict.h"
#include "sources/sources.h"
#include "support/paths.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::add_step;
using testing::EngineNames;
using testing::EngineTrace;
using testing::import_json;
using testing::StepShape;

constexpr int kSteps = 6;

/// Steps that the engine names.
tactus::Run named_steps(const StepShape& shape = {}) {
  EngineTrace trace;
  for (int i = 0; i < kSteps; ++i) {
    add_step(trace, {.category = "user_annotation", .step = "step[DECODE bs=4]", .layer = ""},
             shape);
  }
  return import_json(trace.json());
}

/// The same work, of which only the layers have names.
tactus::Run named_layers(const StepShape& shape = {}) {
  EngineTrace trace;
  for (int i = 0; i < kSteps; ++i) {
    add_step(trace, {.category = "python_function", .step = "", .layer = "Layer.forward"}, shape);
  }
  return import_json(trace.json());
}

/// A recording of data/demo.
tactus::Run demo(const std::string& name) {
  NoProgress quiet;
  ImportRequest request;
  request.inputs = {std::string(TACTUS_ROOT) + "/data/demo/" + name + ".tact"};
  Result<Imported> imported = open_or_import(request, quiet);
  if (!imported) {
    ADD_FAILURE() << imported.error().message;
    return {};
  }
  return std::move(imported->run);
}

Cycles cycles_of(const tactus::Run& run, bool by_layer) {
  Result<Cycles> cycles = find_cycles(run, {.filter = {}, .anchor = "", .by_layer = by_layer});
  if (!cycles) {
    ADD_FAILURE() << cycles.error().message;
    return {};
  }
  return std::move(*cycles);
}

ComparedSide side_of(const tactus::Run& run, const Cycles& cycles) {
  ComparedSide side;
  side.recordings.push_back(measure_trace(run, cycles));
  side.counters = counter_values(run, *side.recordings.back()).values;
  return side;
}

Comparison compare(const tactus::Run& a, const Cycles& of_a, const tactus::Run& b,
                   const Cycles& of_b) {
  ComparedSide normal = side_of(a, of_a);
  ComparedSide abnormal = side_of(b, of_b);
  return compare(normal, abnormal);
}

/// Kernels that no model is known by: "a b b" as often as asked for, each time in a range.
tactus::Run unknown_work(int repeats_in_step, std::string_view step, std::string_view part,
                         long kernel_ns, std::string_view kernel = "b") {
  EngineTrace trace;
  const auto around = [&](std::string_view name, auto&& inside) {
    if (name.empty()) {
      inside();
    } else {
      trace.around("user_annotation", name, inside);
    }
  };
  for (int i = 0; i < 8; ++i) {
    around(step, [&] {
      for (int k = 0; k < repeats_in_step; ++k) {
        around(part, [&] {
          trace.launch("a", kernel_ns).launch(kernel, kernel_ns).launch(kernel, kernel_ns);
        });
      }
    });
    trace.wait_for_device();
  }
  return import_json(trace.json());
}

TEST(Regroup, layers_become_steps_with_what_runs_between_the_layers_of_two_steps) {
  const tactus::Run a = named_steps();
  const tactus::Run b = named_layers();
  Cycles steps = cycles_of(a, false);
  Cycles layers = cycles_of(b, true);
  ASSERT_EQ(steps.cycles.size(), 6U);
  ASSERT_GT(layers.cycles.size(), 6U * 7);
  ASSERT_NE(steps.comparable_key, layers.comparable_key);
  ASSERT_TRUE(regroup(a, b, steps, layers));
  EXPECT_EQ(layers.joined, 8U);
  EXPECT_EQ(steps.joined, 1U);
  EXPECT_EQ(layers.comparable_key, steps.comparable_key);
  ASSERT_EQ(layers.cycles.size(), 6U);
  for (std::size_t i = 0; i + 1 < layers.cycles.size(); ++i) {
    EXPECT_EQ(layers.cycles[i].launches, testing::kStepLaunches) << i;
  }
  EXPECT_FALSE(layers.cycles.back().complete);  // what sampled its tokens has no end to be told by
  const Comparison comparison = compare(a, steps, b, layers);
  EXPECT_EQ(comparison.comparability.aligned_by, "regrouped");
  ASSERT_TRUE(comparison.change);
  EXPECT_NEAR(comparison.change->ratio, 1, 0.03);
}

TEST(Regroup, layers_of_a_recording_give_the_answer_that_its_steps_give) {
  const tactus::Run good = demo("h200-good");
  const tactus::Run slow = demo("h200-slow");
  const auto steps = cycles_to_compare(good, slow);
  ASSERT_TRUE(steps);
  const Comparison by_step = compare(good, steps->first, slow, steps->second);
  ASSERT_EQ(by_step.comparability.aligned_by, "anchor");

  Cycles of_good = cycles_of(good, false);
  Cycles of_slow = cycles_of(slow, true);
  ASSERT_TRUE(regroup(good, slow, of_good, of_slow));
  EXPECT_EQ(of_slow.joined, 16U);
  const Comparison regrouped = compare(good, of_good, slow, of_slow);
  EXPECT_EQ(regrouped.comparability.aligned_by, "regrouped");
  EXPECT_EQ(regrouped.verdict.verdict, by_step.verdict.verdict);
  ASSERT_TRUE(regrouped.change);
  EXPECT_NEAR(regrouped.change->ratio / by_step.change->ratio, 1, 0.05);
}

TEST(Regroup, a_comparison_says_that_cycles_were_taken_together_and_how_many) {
  const tactus::Run a = unknown_work(4, "step[DECODE bs=4]", "", 2000);
  const tactus::Run b = unknown_work(4, "", "step[DECODE bs=4]", 6000);
  Cycles of_a = cycles_of(a, false);
  Cycles of_b = cycles_of(b, false);
  ASSERT_EQ(of_a.cycles.size(), 8U);
  ASSERT_EQ(of_b.cycles.size(), 32U);
  of_b.comparable_key = "part";  // as if it had been marked by another name
  ASSERT_TRUE(regroup(a, b, of_a, of_b));
  ASSERT_EQ(of_b.cycles.size(), 8U);
  EXPECT_EQ(of_b.cycles[1].launches, 12);
  EXPECT_EQ(of_b.cycles[1].batch, 4);
  const Comparison comparison = compare(a, of_a, b, of_b);
  EXPECT_EQ(comparison.comparability.aligned_by, "regrouped");
  ASSERT_FALSE(comparison.comparability.reasons.empty());
  EXPECT_EQ(comparison.comparability.reasons.back(),
            "4 cycles of the abnormal run hold as much work as one cycle of the other run, and are "
            "taken together.");
  ASSERT_TRUE(comparison.change);
  EXPECT_EQ(comparison.change->unit, "cycle");
  EXPECT_GT(comparison.change->low, 1.5);
}

TEST(Regroup, either_side_can_be_the_finer_one) {
  const tactus::Run a = unknown_work(4, "", "step[DECODE bs=4]", 2000);
  const tactus::Run b = unknown_work(4, "step[DECODE bs=4]", "", 2000);
  Cycles of_a = cycles_of(a, false);
  Cycles of_b = cycles_of(b, false);
  ASSERT_TRUE(regroup(a, b, of_a, of_b));
  EXPECT_EQ(of_a.joined, 4U);
  EXPECT_EQ(of_b.joined, 1U);
  EXPECT_EQ(compare(a, of_a, b, of_b).comparability.aligned_by, "regrouped");
}

TEST(Regroup, every_slice_of_a_joined_cycle_belongs_to_it) {
  const tactus::Run a = unknown_work(4, "", "step[DECODE bs=4]", 2000);
  const tactus::Run b = unknown_work(4, "step[DECODE bs=4]", "", 2000);
  Cycles of_a = cycles_of(a, false);
  Cycles of_b = cycles_of(b, false);
  std::int64_t launches = 0;
  for (const Cycle& cycle : of_a.cycles) launches += cycle.launches;
  ASSERT_TRUE(regroup(a, b, of_a, of_b));
  std::int64_t joined = 0;
  for (const Cycle& cycle : of_a.cycles) joined += cycle.launches;
  EXPECT_EQ(joined, launches);
  for (const std::int32_t cycle : of_a.cycle_of_slice) {
    EXPECT_LT(cycle, static_cast<std::int32_t>(of_a.cycles.size()));
  }
}

TEST(Regroup, other_kernels_are_other_work_whatever_their_number) {
  const tactus::Run a = unknown_work(4, "step[DECODE bs=4]", "", 2000);
  const tactus::Run b = unknown_work(4, "", "step[DECODE bs=4]", 2000, "quite_another");
  Cycles of_a = cycles_of(a, false);
  Cycles of_b = cycles_of(b, false);
  EXPECT_FALSE(regroup(a, b, of_a, of_b));
  EXPECT_EQ(of_b.cycles.size(), 32U);
  EXPECT_EQ(of_b.joined, 1U);
}

TEST(Regroup, half_a_cycle_too_many_is_no_whole_number) {
  // A step of 5 kernels against parts of 2: two parts are too few, three too many.
  EngineTrace coarse;
  EngineTrace fine;
  for (int i = 0; i < 12; ++i) {
    coarse.around("user_annotation", "step[DECODE bs=4]", [&] {
      for (int k = 0; k < 5; ++k) coarse.launch("a", 2000);
    });
    fine.around("user_annotation", "step[DECODE bs=4]",
                [&] { fine.launch("a", 2000).launch("a", 2000); });
  }
  const tactus::Run a = import_json(coarse.json());
  const tactus::Run b = import_json(fine.json());
  Cycles of_a = cycles_of(a, false);
  Cycles of_b = cycles_of(b, false);
  ASSERT_EQ(of_b.cycles.size(), 12U);
  EXPECT_FALSE(regroup(a, b, of_a, of_b));
}

TEST(Regroup, runs_with_a_common_anchor_are_left_as_they_are) {
  const tactus::Run a = named_steps();
  const tactus::Run b = named_steps({.unit_ns = 3000});
  const auto cycles = cycles_to_compare(a, b);
  ASSERT_TRUE(cycles);
  EXPECT_EQ(cycles->first.joined, 1U);
  EXPECT_EQ(cycles->second.joined, 1U);
  EXPECT_EQ(compare(a, cycles->first, b, cycles->second).comparability.aligned_by, "anchor");
}

TEST(Regroup, runs_whose_ranges_have_no_name_in_common_are_compared_step_by_step) {
  const tactus::Run a = unknown_work(4, "step[DECODE bs=4]", "", 2000);
  const tactus::Run b = unknown_work(4, "", "execute_context_0(0)_generation_4(4)", 6000);
  const auto cycles = cycles_to_compare(a, b);
  ASSERT_TRUE(cycles);
  EXPECT_EQ(cycles->second.joined, 4U);
  const Comparison comparison = compare(a, cycles->first, b, cycles->second);
  EXPECT_EQ(comparison.comparability.aligned_by, "regrouped");
}

TEST(Regroup, a_run_without_cycles_is_left_alone) {
  EngineTrace trace;
  trace.launch("a", 1000);
  const tactus::Run a = import_json(trace.json());
  const tactus::Run b = named_steps();
  Cycles of_a = cycles_of(a, false);
  Cycles of_b = cycles_of(b, false);
  EXPECT_FALSE(regroup(a, b, of_a, of_b));
  EXPECT_TRUE(cycles_to_compare(a, b));
}

}  // namespace
}  // namespace tactus
