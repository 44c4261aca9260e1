// What is said about measured times, and about two results.
#include <gtest/gtest.h>

#include <algorithm>

#include "views/bench/bench_view.h"

namespace tactus {
namespace {

BenchRow timed(const std::string& shape, double t_ns, double floor_ns) {
  BenchRow row;
  row.operator_name = "rms_norm";
  row.shape_id = shape;
  row.t_ns = t_ns;
  row.t_low_ns = 0.995 * t_ns;
  row.t_high_ns = 1.005 * t_ns;
  row.interval_known = true;
  row.launch_floor_ns = floor_ns;
  row.clock_noise_ns = 32;
  return row;
}

BenchResult result_of(std::vector<BenchRow> rows) {
  BenchResult result;
  result.rows = std::move(rows);
  return result;
}

std::string shown(const BenchResult& result) {
  const Catalogue nothing_known;
  return bench_text(make_bench_report(result, nothing_known, hardware_of_result(result)), 120);
}

/// Whether a text has these words, in one line or in two.
bool says(std::string text, const std::string& words) {
  if (text.find(words) != std::string::npos) return true;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.find(words) != std::string::npos;
}

TEST(BenchText, claims_95_percent_only_for_rows_that_have_an_interval) {
  BenchResult result = result_of({timed("0", 4000, 2600)});
  std::string text = shown(result);
  EXPECT_TRUE(says(text, "-0.5/+0.5%")) << text;
  EXPECT_TRUE(says(text, "95% confidence")) << text;
  EXPECT_FALSE(says(text, "n brackets")) << text;
  result.rows[0].interval_known = false;
  text = shown(result);
  EXPECT_TRUE(says(text, "(-0.5/+0.5%)")) << text;
  EXPECT_FALSE(says(text, "95%")) << text;
  EXPECT_TRUE(says(text, "n brackets")) << text;
}

TEST(BenchText, says_what_touching_memory_takes_where_that_was_measured) {
  BenchResult result = result_of({timed("0", 9000, 2650)});
  EXPECT_FALSE(says(shown(result), "An empty kernel"));
  result.rows[0].touch_floor_ns = 4030;
  const std::string text = shown(result);
  EXPECT_TRUE(says(text, "An empty kernel takes 2.650 μs here")) << text;
  EXPECT_TRUE(says(text, "cold memory takes 4.030 μs.")) << text;
}

BenchRow skipped(const std::string& operator_name, const std::string& shape,
                 const std::string& reason) {
  BenchRow row;
  row.operator_name = operator_name;
  row.shape_id = shape;
  row.status = BenchStatus::kSkipped;
  row.reason = reason;
  return row;
}

std::size_t times_in(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

TEST(BenchText, has_one_line_for_rows_that_were_skipped_for_one_reason) {
  const BenchResult result =
      result_of({timed("0", 4000, 2600), skipped("rms_norm", "1", "no time"),
                 skipped("l2_norm", "0", "no time"), skipped("l2_norm", "1", "no time"),
                 skipped("softmax", "0", "no memory")});
  const std::string text = shown(result);
  EXPECT_EQ(times_in(text, "no time"), 1U) << text;
  EXPECT_TRUE(says(text, "2 operators")) << text;
  EXPECT_TRUE(says(text, "3 shapes  skipped")) << text;
  EXPECT_EQ(times_in(text, "no memory"), 1U) << text;
  EXPECT_TRUE(says(text, "5 shapes: 1 right, 4 skipped.")) << text;
}

TEST(BenchText, of_one_shape_is_short) {
  BenchResult result = result_of({timed("0", 4000, 2600)});
  result.rows[0].t_sol_ns = 1.707;
  const std::string text = shown(result);
  EXPECT_TRUE(says(text, "1 shape: 1 right.")) << text;
  EXPECT_TRUE(says(text, "1.71 ns")) << text;
  EXPECT_TRUE(says(text, "operator\n")) << text;
  EXPECT_FALSE(says(text, "family\n")) << text;
}

TEST(BenchText, does_not_cut_a_reason) {
  BenchResult result = result_of({timed("0", 4000, 2600)});
  result.rows[0].status = BenchStatus::kWrong;
  for (int i = 0; i < 40; ++i) result.rows[0].reason += "reason" + std::to_string(i) + " ";
  const std::string text = shown(result);
  EXPECT_TRUE(says(text, "reason39")) << text;
  EXPECT_FALSE(says(text, "\u2026")) << text;
}

TEST(BenchComparison, does_not_blame_a_kernel_for_what_an_empty_one_shows_too) {
  const BenchResult before = result_of({timed("0", 4420, 2860)});
  const BenchResult after = result_of({timed("0", 4130, 2580)});
  EXPECT_TRUE(says(bench_comparison_text(before, after, 120), "SAME"));
  const BenchResult same_floor = result_of({timed("0", 4130, 2860)});
  EXPECT_TRUE(says(bench_comparison_text(before, same_floor, 120), "1 FASTER"));
}

TEST(BenchComparison, takes_what_processes_differ_by_from_all_rows_of_a_result) {
  std::vector<BenchRow> rows = {timed("0", 4420, 2700)};
  for (int i = 1; i < 10; ++i) rows.push_back(timed(std::to_string(i), 1e6, 2560.0 + 32 * i));
  const BenchResult before = result_of(rows);
  rows[0] = timed("0", 4130, 2700);
  const std::string text = bench_comparison_text(before, result_of(rows), 120);
  EXPECT_TRUE(says(text, "0 FASTER, 0 SLOWER, 10 SAME, 0 AMBIGUOUS")) << text;
}

TEST(BenchComparison, of_rows_without_noise_goes_by_their_intervals) {
  BenchResult before = result_of({timed("0", 4420, 2860)});
  BenchResult after = result_of({timed("0", 4130, 2580)});
  for (BenchResult* result : {&before, &after}) {
    result->rows[0].launch_floor_ns.reset();
    result->rows[0].clock_noise_ns.reset();
  }
  EXPECT_TRUE(says(bench_comparison_text(before, after, 120), "1 FASTER"));
  EXPECT_TRUE(says(bench_comparison_json(before, after), "\"outcome\":\"FASTER\""));
}

}  // namespace
}  // namespace tactus
