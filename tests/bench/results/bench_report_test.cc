// What results come to: by shape, operator and family, against the best rival.
#include "bench/results/bench_report.h"

#include <gtest/gtest.h>

#include "support/sample_bench.h"

namespace tactus {
namespace {

using testing::add_measured_rival;
using testing::sample_bench;
using testing::SampleRoofline;
using testing::skipped_row;
using testing::timed_row;

TEST(BenchReport, puts_each_shape_beside_its_fastest_rival) {
  const SampleRoofline sample;
  const BenchResult result = sample_bench();
  const BenchReport report = make_bench_report(result, sample.catalogue, sample.fast);
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.rows[0].rival->name, "torch_compiled");
  EXPECT_DOUBLE_EQ(report.rows[0].ratio().value(), 2);
  EXPECT_EQ(report.rows[0].outcome, Outcome::kFaster);
  EXPECT_DOUBLE_EQ(report.rows[0].s.value(), 0.01);
  EXPECT_DOUBLE_EQ(report.rows[0].rival_s.value(), 0.005);
  EXPECT_DOUBLE_EQ(report.rows[0].s_with_launch.value(), 0.5);
  EXPECT_DOUBLE_EQ(report.rows[0].rival_s_with_launch.value(), 0.25);
  EXPECT_EQ(report.rows[1].outcome, Outcome::kSlower);
}

TEST(BenchReport, has_the_rival_alone_where_the_candidate_skips_a_shape) {
  const SampleRoofline sample;
  const BenchResult result = sample_bench();
  const ReportRow row = make_bench_report(result, sample.catalogue, sample.fast).rows[2];
  EXPECT_FALSE(row.t_ns);
  EXPECT_FALSE(row.ratio());
  EXPECT_FALSE(row.outcome);
  // 2 * 4096^3 operations at 100 TFLOP/s, though the row has no bound of its own.
  EXPECT_NEAR(row.t_sol_ns.value(), 1374389.5, 1);
  EXPECT_NEAR(row.rival_s.value(), 1374389.5 / 2.5e6, 1e-6);
}

TEST(BenchReport, says_how_near_to_a_copy_a_shape_comes_where_one_was_timed) {
  const SampleRoofline sample;
  BenchResult result = sample_bench();
  EXPECT_FALSE(make_bench_report(result, sample.catalogue, sample.fast).has_copies);
  result.rows[0].copy_ns = 3000;
  const BenchReport report = make_bench_report(result, sample.catalogue, sample.fast);
  EXPECT_TRUE(report.has_copies);
  EXPECT_DOUBLE_EQ(report.rows[0].of_copy().value(), 0.75);
  EXPECT_FALSE(report.rows[1].of_copy());
  EXPECT_DOUBLE_EQ(report.operators[0].median_of_copy.value(), 0.75);
}

TEST(BenchReport, sums_up_operators_families_and_everything) {
  const SampleRoofline sample;
  const BenchResult result = sample_bench();
  const BenchReport report = make_bench_report(result, sample.catalogue, sample.fast);
  ASSERT_EQ(report.operators.size(), 2U);
  const ReportGroup& norm = report.operators[0];
  EXPECT_EQ(norm.name, "rms_norm");
  EXPECT_DOUBLE_EQ(norm.importance, 0.75);
  EXPECT_EQ(norm.right, 2U);
  EXPECT_EQ(norm.both, 2U);
  EXPECT_EQ(norm.faster, 1U);
  EXPECT_EQ(norm.slower, 1U);
  EXPECT_DOUBLE_EQ(norm.median_s.value(), 0.255) << "the mean of the two";
  EXPECT_DOUBLE_EQ(norm.ratio.value(), 1) << "twice as slow and twice as fast";
  EXPECT_EQ(norm.usual_rival, "torch_compiled");
  const ReportGroup& gemm = report.operators[1];
  EXPECT_EQ(gemm.skipped, 1U);
  EXPECT_FALSE(gemm.median_s);
  EXPECT_FALSE(gemm.ratio);
  EXPECT_TRUE(gemm.rival_median_s);
  EXPECT_EQ(gemm.usual_rival, "cublas");
  ASSERT_EQ(report.families.size(), 2U);
  EXPECT_EQ(report.families[0].name, "matrix product");
  EXPECT_EQ(report.families[1].name, "norm");
  EXPECT_EQ(report.total.rows.size(), 3U);
  EXPECT_EQ(report.total.both, 2U);
}

TEST(BenchReport, counts_what_failed_as_zero_and_never_its_time) {
  const SampleRoofline sample;
  BenchResult result = sample_bench();
  result.rows[1].status = BenchStatus::kWrong;
  const BenchReport report = make_bench_report(result, sample.catalogue, sample.fast);
  EXPECT_FALSE(report.rows[1].t_ns);
  EXPECT_EQ(report.operators[0].failed, 1U);
  EXPECT_EQ(report.operators[0].both, 1U);
  EXPECT_DOUBLE_EQ(report.operators[0].median_s.value(), 0.005);
  EXPECT_FALSE(report.candidate_roofline.rows[1].on[0].t_prod_ns);
  EXPECT_TRUE(report.rival_roofline.rows[1].on[0].t_prod_ns);
}

TEST(BenchReport, takes_the_fastest_right_one_of_several_candidates) {
  const SampleRoofline sample;
  BenchResult result = sample_bench();
  BenchRow better = timed_row("rms_norm", "2", 2000, 40);
  better.candidate = "mine.cu";
  BenchRow wrong = timed_row("rms_norm", "2", 10, 40);
  wrong.candidate = "cheat.cu";
  wrong.status = BenchStatus::kWrong;
  result.rows.push_back(better);
  result.rows.push_back(wrong);
  const BenchReport report = make_bench_report(result, sample.catalogue, sample.fast);
  EXPECT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.rows[0].row->candidate, "mine.cu");
  EXPECT_EQ(report.rows[0].rival->t_ns, 8000) << "measured beside the other";
  EXPECT_EQ(report.candidates, "cuda, mine.cu, cheat.cu");
}

TEST(BenchReport, keeps_shapes_that_the_catalogue_does_not_have) {
  const SampleRoofline sample;
  BenchResult result = sample_bench();
  result.rows.push_back(timed_row("my_own", "7", 100, 50));
  result.rows.push_back(timed_row("rms_norm", "77", 100, 50));
  const BenchReport report = make_bench_report(result, sample.catalogue, sample.fast);
  EXPECT_EQ(report.rows.size(), 5U);
  ASSERT_EQ(report.operators.size(), 3U);
  EXPECT_EQ(report.operators[0].rows.size(), 3U);
  EXPECT_EQ(report.operators[2].name, "my_own");
  EXPECT_FALSE(report.rows[3].place);
}

TEST(BenchReport, does_not_take_times_that_are_deployed_elsewhere_for_measured_ones) {
  const SampleRoofline sample;
  BenchResult result = sample_bench();
  result.rows = {skipped_row("rms_norm", "2")};
  const BenchReport report = make_bench_report(result, sample.catalogue, sample.fast);
  ASSERT_EQ(report.candidate_roofline.rows.size(), 1U);
  EXPECT_FALSE(report.candidate_roofline.rows[0].on[0].t_prod_ns);
  EXPECT_FALSE(report.has_rivals);
}

TEST(HardwareOfResult, is_the_profile_or_what_the_result_says) {
  BenchResult result = sample_bench();
  result.machine.profile = "H200";
  EXPECT_TRUE(hardware_of_result(result).peak(Engine::kTensor, NumberType::kBf16));
  result.machine.profile = "host";
  const HardwareProfile host = hardware_of_result(result);
  EXPECT_EQ(host.name, "host");
  EXPECT_EQ(host.memory_bandwidth.value, 1e12);
}

}  // namespace
}  // namespace tactus
