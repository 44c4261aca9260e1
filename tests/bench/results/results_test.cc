// What becomes of finished results: several put together, and written to be kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/results/compact_result.h"
#include "bench/results/merge_results.h"
#include "support/sample_bench.h"

namespace tactus {
namespace {

using testing::add_measured_rival;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_bench;
using testing::skipped_row;
using testing::timed_row;

TEST(MergeResults, takes_the_last_of_rows_about_the_same_and_keeps_the_order) {
  BenchResult later = sample_bench();
  later.machine.date = "2026-11-16";
  later.rows = {timed_row("l2_norm", "0", 100, 10), timed_row("rms_norm", "2", 3000, 40)};
  const Result<BenchResult> merged = merge_results({sample_bench(), later});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->rows.size(), 4U);
  EXPECT_EQ(merged->rows[0].t_ns, 3000);
  EXPECT_EQ(merged->rows[1].shape_id, "10");
  EXPECT_EQ(merged->rows[3].operator_name, "l2_norm");
  EXPECT_EQ(merged->machine.date, "2026-11-16");
}

TEST(MergeResults, keeps_the_rivals_of_a_row_that_was_measured_again_without) {
  BenchResult later = sample_bench();
  later.rows = {timed_row("rms_norm", "2", 3000, 40), timed_row("rms_norm", "10", 9e6, 4e6)};
  add_measured_rival(later.rows[1], "torch_eager", 7e6);
  const Result<BenchResult> merged = merge_results({sample_bench(), later});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->rows[0].rival->name, "torch_compiled");
  EXPECT_EQ(merged->rows[0].rivals.size(), 2U);
  EXPECT_EQ(merged->rows[1].rival->name, "torch_eager");
  EXPECT_EQ(merged->rows[1].rivals.size(), 1U);
}

TEST(MergeResults, says_that_rivals_are_of_another_day) {
  BenchResult later = sample_bench();
  later.machine.date = "2026-11-16";
  later.rows = {timed_row("rms_norm", "2", 3000, 40), timed_row("rms_norm", "10", 9e6, 4e6)};
  add_measured_rival(later.rows[1], "torch_eager", 7e6);
  const Result<BenchResult> merged = merge_results({sample_bench(), later});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->rows[0].rivals_date, "2026-11-15");
  EXPECT_EQ(merged->rows[1].rivals_date, "") << "measured with the row";
  const Result<BenchResult> read =
      read_bench_result(compact_result_text(bench_result_text(*merged)), "merged.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows[0].rivals_date, "2026-11-15");
  later.machine.date = "2026-11-17";
  later.rows = {timed_row("rms_norm", "2", 3100, 40)};
  const Result<BenchResult> again = merge_results({*read, later});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->rows[0].rivals_date, "2026-11-15");
  EXPECT_EQ(again->rows[1].rivals_date, "2026-11-16");
}

TEST(MergeResults, keeps_rows_of_different_candidates_apart) {
  BenchResult later = sample_bench();
  later.rows = {timed_row("rms_norm", "2", 3000, 40)};
  later.rows[0].candidate = "mine.cu";
  EXPECT_EQ(merge_results({sample_bench(), later})->rows.size(), 4U);
}

TEST(MergeResults, names_no_card_if_there_were_two) {
  BenchResult later = sample_bench();
  EXPECT_EQ(merge_results({sample_bench(), later})->machine.card, "1a2b3c4d");
  BenchResult unknown = sample_bench();
  unknown.machine.card = "";
  EXPECT_EQ(merge_results({unknown, later})->machine.card, "1a2b3c4d");
  later.machine.card = "99999999";
  EXPECT_EQ(merge_results({sample_bench(), later})->machine.card, "");
}

TEST(MergeResults, refuses_different_machines) {
  BenchResult other = sample_bench();
  other.machine.name = "Another";
  const Result<BenchResult> merged = merge_results({sample_bench(), other});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().message, HasSubstr("A Fast <one> and of Another"));
}

TEST(CompactResult, says_the_same_without_samples_and_in_five_digits) {
  BenchResult result = sample_bench();
  result.rows[0].t_ns = 4000.123456;
  result.rows[0].note = "it says \"samples\"";
  const std::string text = compact_result_text(bench_result_text(result));
  EXPECT_THAT(text, Not(HasSubstr("\"samples\":")));
  EXPECT_THAT(text, Not(HasSubstr("null")));
  const Result<BenchResult> read = read_bench_result(text, "compact.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->machine.name, result.machine.name);
  EXPECT_EQ(read->machine.memory_bandwidth, result.machine.memory_bandwidth);
  EXPECT_EQ(read->machine.card, result.machine.card);
  ASSERT_EQ(read->rows.size(), 3U);
  EXPECT_EQ(read->rows[0].t_ns, 4000.1);
  EXPECT_EQ(read->rows[0].t_low_ns, 3960);
  EXPECT_EQ(read->rows[0].note, result.rows[0].note);
  EXPECT_TRUE(read->rows[0].samples_ns.empty());
  EXPECT_EQ(read->rows[0].rivals.size(), 2U);
  EXPECT_EQ(read->rows[0].rivals[1].t_high_ns, 8080);
  EXPECT_EQ(read->rows[0].rival->name, "torch_compiled");
  EXPECT_EQ(read->rows[2].status, BenchStatus::kSkipped);
  EXPECT_EQ(read->rows[2].reason, "cuda has no gemm");
}

TEST(CompactResult, keeps_what_is_wrong) {
  BenchResult result = sample_bench();
  result.rows[0].status = BenchStatus::kWrong;
  result.rows[0].mismatch = 7;
  const Result<BenchResult> read =
      read_bench_result(compact_result_text(bench_result_text(result)), "compact.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows[0].mismatch, 7);
  EXPECT_EQ(read->rows[1].mismatch, 0);
}

TEST(CompactResult, is_written_the_same_a_second_time) {
  const std::string once = compact_result_text(bench_result_text(sample_bench()));
  const std::string twice =
      compact_result_text(bench_result_text(*read_bench_result(once, "compact.json")));
  EXPECT_EQ(once, twice);
}

TEST(CompactResult, leaves_out_what_describes_samples_and_keeps_what_it_does_not_know) {
  EXPECT_EQ(compact_result_text(R"({"results": [{"rounds": [3, 3], "throttled": 0, "new": 1.5}]})"),
            "{\"results\": [\n  {\"new\":1.5}\n ]}\n");
}

TEST(CompactResult, of_nothing_is_a_result) {
  BenchResult result;
  result.machine.name = "A";
  EXPECT_TRUE(read_bench_result(compact_result_text(bench_result_text(result)), "empty.json"));
}

}  // namespace
}  // namespace tactus
