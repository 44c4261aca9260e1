#include "bounds/roofline/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_roofline.h"

namespace tactus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Roofline> ask(const testing::SampleRoofline& sample, const RooflineQuestion& question) {
  const HardwareProfile* const machines[] = {&sample.fast, &sample.slow};
  return make_roofline(sample.catalogue, machines, {}, question);
}

TEST(Roofline, has_a_row_a_shape_by_importance_and_id) {
  const testing::SampleRoofline sample;
  std::vector<std::string> rows;
  for (const RooflineRow& row : sample.roofline().rows) {
    rows.push_back(row.op->name + "/" + row.shape->id);
  }
  EXPECT_THAT(rows, ElementsAre("rms_norm/2", "rms_norm/10", "gemm/0"));
}

TEST(Roofline, knows_s_where_a_time_is_known) {
  const testing::SampleRoofline sample;
  const Roofline roofline = sample.roofline();
  const ShapeOnHardware& large = roofline.rows[1].on[0];
  // 1,000,000 x 1024 numbers of 2 bytes, read and written, and 1024 weights, at 1 TB/s.
  EXPECT_DOUBLE_EQ(large.bound->t_ns, 4096002.048);
  EXPECT_EQ(large.bound->limit, Limit::kMemory);
  EXPECT_DOUBLE_EQ(*large.s, 4096002.048 / 8192000);
  EXPECT_DOUBLE_EQ(*large.s_with_launch, *large.s);
  EXPECT_FALSE(roofline.rows[1].on[1].s);
}

TEST(Roofline, counts_the_launch_floor_apart) {
  const testing::SampleRoofline sample;
  const Roofline roofline = sample.roofline();
  const ShapeOnHardware& small = roofline.rows[0].on[0];
  EXPECT_EQ(small.bound->limit, Limit::kLaunch);
  EXPECT_LT(*small.s, 0.01);
  EXPECT_DOUBLE_EQ(*small.s_with_launch, 0.5);
  EXPECT_FALSE(roofline.launch_floors[0]->observed);
  EXPECT_FALSE(roofline.launch_floors[1]);
}

TEST(Roofline, takes_the_least_time_for_the_launch_floor_of_a_machine_that_does_not_say) {
  testing::SampleRoofline sample;
  sample.fast.launch_floor_ns.reset();
  const Roofline roofline = sample.roofline();
  EXPECT_TRUE(roofline.launch_floors[0]->observed);
  EXPECT_DOUBLE_EQ(roofline.launch_floors[0]->ns, 4000);
  EXPECT_DOUBLE_EQ(*roofline.rows[0].on[0].s_with_launch, 1);
}

TEST(Roofline, says_which_peak_a_machine_lacks_and_gives_no_bound_there) {
  const testing::SampleRoofline sample;
  const Roofline roofline = sample.roofline();
  EXPECT_FALSE(roofline.rows[2].on[1].bound);
  EXPECT_THAT(roofline.warnings,
              ElementsAre("Slow has no peak for int8 on its matrix units: 1 shape has no bound "
                          "there"));
}

TEST(Roofline, takes_the_rate_of_a_wider_type_where_the_strict_model_may) {
  testing::SampleRoofline sample;
  sample.catalogue.operators[1].shapes[0].parameters.dtype = NumberType::kFp8E4m3;
  const Roofline strict = sample.roofline(CostModel::kStrict);
  const double flops = 2.0 * 4096 * 4096 * 4096;
  EXPECT_DOUBLE_EQ(strict.rows[2].on[0].bound->t_ns, flops / 100e12 * 1e9);  // as bf16
  EXPECT_DOUBLE_EQ(strict.rows[2].on[1].bound->t_ns, flops / 1e12 * 1e9);    // as fp32, in vectors
  EXPECT_FALSE(sample.roofline(CostModel::kCatalogue).rows[2].on[0].bound);
}

TEST(Roofline, scores_by_importance_over_what_has_times) {
  const testing::SampleRoofline sample;
  const Roofline roofline = sample.roofline();
  const Score& score = roofline.scores[0];
  const double s = *roofline.rows[1].on[0].s;  // the upper of two
  EXPECT_DOUBLE_EQ(*score.weighted_s, s);
  EXPECT_DOUBLE_EQ(*score.weighted_s_unnormalised, 0.75 * s);
  EXPECT_DOUBLE_EQ(score.covered_importance, 0.6);
  EXPECT_EQ(score.timed_shapes, 2U);
  EXPECT_FALSE(roofline.scores[1].weighted_s);
}

TEST(Roofline, can_be_asked_for_part_of_the_catalogue) {
  const testing::SampleRoofline sample;
  RooflineQuestion question;
  question.framework = "sglang";
  EXPECT_EQ(ask(sample, question)->rows.size(), 1U);
  question.framework = "vllm";
  EXPECT_EQ(ask(sample, question)->rows.size(), 2U);
  question.tensor_parallel = 4;
  EXPECT_EQ(ask(sample, question)->rows.size(), 1U);
  question.phase = "decode";
  EXPECT_THAT(ask(sample, question).error().message, HasSubstr("no shape of the catalogue"));
}

TEST(Roofline, names_what_there_is_where_something_is_not) {
  const testing::SampleRoofline sample;
  RooflineQuestion question;
  question.operator_name = "rmsnorm";
  EXPECT_THAT(ask(sample, question).error().message, HasSubstr("did you mean rms_norm?"));
  question = {};
  question.framework = "vlm";
  EXPECT_THAT(ask(sample, question).error().message, HasSubstr("did you mean vllm?"));
  question = {};
  question.phase = "warmup";
  EXPECT_THAT(ask(sample, question).error().message, HasSubstr("there are decode, prefill"));
  question = {};
  question.operator_name = "rms_norm";
  question.shape_id = "3";
  EXPECT_THAT(ask(sample, question).error().message, HasSubstr("it has 2, 10"));
}

TEST(Roofline, leaves_out_shapes_whose_cost_cannot_be_told_and_says_so) {
  testing::SampleRoofline sample;
  sample.catalogue.operators[0].shapes[0].parameters.values.clear();
  const Roofline roofline = sample.roofline();
  EXPECT_EQ(roofline.rows.size(), 2U);
  EXPECT_EQ(roofline.dropped_shapes, 1U);
  EXPECT_THAT(roofline.warnings.front(), HasSubstr("1 of the 2 shapes of rms_norm are left out"));
}

TEST(Roofline, knows_the_launch_floor_of_a_machine_whatever_was_asked_for) {
  testing::SampleRoofline sample;
  sample.fast.launch_floor_ns.reset();
  RooflineQuestion question;
  question.operator_name = "rms_norm";
  question.shape_id = "10";
  EXPECT_DOUBLE_EQ(ask(sample, question)->launch_floors[0]->ns, 4000);
}

TEST(Roofline, warns_of_times_below_the_bound) {
  testing::SampleRoofline sample;
  sample.catalogue.operators[0].shapes[1].deployed[0].t_ns = 1000;
  EXPECT_THAT(sample.roofline().warnings.front(), HasSubstr("1 shape is faster than the bound"));
}

TEST(Roofline, takes_the_times_of_a_baseline_before_those_of_the_catalogue) {
  const testing::SampleRoofline sample;
  BaselineTime time;
  time.operator_name = "rms_norm";
  time.shape_id = "10";
  time.hardware = "Fast";
  time.t_ns = 8192004.096;
  time.source = "own";
  const HardwareProfile* const machines[] = {&sample.fast};
  const BaselineTime times[] = {time};
  const Result<Roofline> roofline = make_roofline(sample.catalogue, machines, times, {});
  ASSERT_TRUE(roofline);
  EXPECT_DOUBLE_EQ(*roofline->rows[1].on[0].s, 0.5);
  EXPECT_EQ(roofline->rows[1].on[0].t_prod_by, "own");
  EXPECT_DOUBLE_EQ(*roofline->rows[0].on[0].t_prod_ns, 4000);
  EXPECT_EQ(roofline->rows[0].on[0].t_prod_by, "");
}

TEST(Baseline, is_the_best_time_of_a_row_and_says_whose_it_is) {
  const Result<std::vector<BaselineTime>> times = read_baseline(
      R"({"hardware": {"name": "Fast"}, "results": [
        {"operator": "a", "shape": "0", "candidate": "own", "status": "ok", "t_ns": 20,
         "rival": {"name": "torch", "t_ns": 10}},
        {"operator": "a", "shape": "1", "candidate": "own", "status": "ok", "t_ns": 20,
         "rival": {"name": "torch", "t_ns": 30}},
        {"operator": "a", "shape": "2", "candidate": "own", "status": "wrong", "t_ns": 1,
         "rival": {"name": "torch", "t_ns": 30}},
        {"operator": "a", "shape": "3", "candidate": "own", "status": "skipped", "rival": null}]})",
      "bench.json");
  ASSERT_TRUE(times);
  ASSERT_EQ(times->size(), 3U);
  EXPECT_EQ(times->at(0).source, "torch");
  EXPECT_EQ(times->at(0).t_ns, 10);
  EXPECT_EQ(times->at(1).source, "own");
  EXPECT_EQ(times->at(1).t_ns, 20);
  EXPECT_EQ(times->at(2).source, "torch") << "a wrong answer has no time";
}

TEST(Roofline, of_a_catalogue_without_shapes_is_an_error) {
  testing::SampleRoofline sample;
  sample.catalogue.operators.clear();
  EXPECT_EQ(ask(sample, {}).error().message, "the catalogue has no shapes");
}

TEST(Printed, takes_the_nearest_decimal_and_the_larger_of_two_that_are) {
  EXPECT_EQ(printed(9.95, 1), 9.9);  // stored a little below
  EXPECT_EQ(printed(0.25, 1), 0.3);
  EXPECT_EQ(printed(0.125, 2), 0.13);
  EXPECT_EQ(printed(2.5, 0), 3);
  EXPECT_EQ(printed(19.449999, 1), 19.4);
}

}  // namespace
}  // namespace tactus
