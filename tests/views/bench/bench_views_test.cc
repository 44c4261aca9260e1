// The reports of a benchmark.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_bench.h"
#include "views/bench/bench_view.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_bench;
using testing::SampleRoofline;

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

class BenchViews : public ::testing::Test {
 protected:
  BenchReport report() const { return make_bench_report(result, sample.catalogue, sample.fast); }

  SampleRoofline sample;
  BenchResult result = sample_bench();
};

TEST_F(BenchViews, text_has_every_shape_and_what_it_comes_to) {
  EXPECT_EQ(bench_text(report(), 140),
            R"(A Fast <one>, 2026-11-15, CUDA 13.0, bounds of the Fast profile

operator  shape   result      time    interval     bound      S               best rival  vs rival  what
rms_norm      2       ok  4.000 μs  -1.0/+1.0%     40 ns   1.0%  torch_compiled 8.000 μs     2.00x  small, |<b>
rms_norm     10       ok  8.000 ms  -1.0/+1.0%  4.000 ms  50.0%  torch_compiled 4.000 ms     0.50x  large
    gemm      0  skipped         -           -  1.374 ms      -          cublas 2.500 ms         -  cuda has no gemm

importance  shapes  right  failed  skipped      S  S rival  vs rival  faster / same / slower  most frequent best rival  operator
     75.0%       2      2       0        0  25.5%    50.2%     1.00x               1 / 0 / 1            torch_compiled  rms_norm
     50.0%       1      0       0        1      -    55.0%         -                       -                    cublas  gemm

importance  shapes  right  failed  skipped      S  S rival  vs rival  faster / same / slower  most frequent best rival  family
     50.0%       1      0       0        1      -    55.0%         -                       -                    cublas  matrix product
     75.0%       2      2       0        0  25.5%    50.2%     1.00x               1 / 0 / 1            torch_compiled  norm
         -       3      2       0        1  25.5%    55.0%     1.00x               1 / 0 / 1            torch_compiled  all

3 shapes: 2 right, 1 skipped.
S is the bound divided by the time; for a group it is the median of its shapes. Failed shapes count as 0, skipped shapes do not count.
An interval is the 95% confidence interval of the median.
vs rival: how many times longer the fastest rival takes; for a group it is the geometric mean over the shapes that both can do.
Faster and slower: the intervals are more than 3% apart; same: all others.
)");
}

TEST_F(BenchViews, text_says_when_rivals_are_of_another_day) {
  EXPECT_THAT(bench_text(report(), 140), Not(HasSubstr("in another run")));
  result.rows[0].rivals_date = "2026-11-14";
  EXPECT_THAT(bench_text(report(), 140),
              HasSubstr("The rivals of 1 shape were timed on 2026-11-14, in another run."));
}

TEST_F(BenchViews, text_is_silent_about_rivals_where_there_are_none) {
  for (BenchRow& row : result.rows) {
    row.rival.reset();
    row.rivals.clear();
  }
  EXPECT_THAT(bench_text(report(), 140), Not(HasSubstr("rival")));
  EXPECT_THAT(bench_markdown(report()), Not(HasSubstr("rival")));
  EXPECT_THAT(bench_plot_svg(bench_dots_plot(report())), Not(HasSubstr("best rival")));
}

TEST_F(BenchViews, markdown_folds_the_shapes_away_and_escapes_names) {
  const std::string text = bench_markdown(report());
  EXPECT_THAT(text, HasSubstr("| rms\\_norm | 75.0% | 2 | 2 | 0 | 0 | 25.5% | 50.2% | 1.00x |"));
  EXPECT_THAT(text, HasSubstr("<details><summary>All 3 shapes</summary>\n\n**rms\\_norm**"));
  EXPECT_THAT(text, HasSubstr("small, \\|\\<b\\> |"));
  EXPECT_THAT(text, HasSubstr("| #0 | skipped | - | 1.374 ms | - | cublas 2.500 ms | 55.0% | - |"));
}

TEST_F(BenchViews, roofline_has_filled_and_hollow_marks_joined_where_both_are) {
  const std::string body = bench_roofline_plot(report()).body;
  const std::string marks = body.substr(body.find("<g class=\"marks\">"));
  EXPECT_EQ(occurrences(marks, "<circle class=\"own\""), 2U);
  EXPECT_EQ(occurrences(marks, "<circle class=\"rival\""), 3U);
  EXPECT_EQ(occurrences(marks, "<path class=\"pair\""), 2U);
  EXPECT_THAT(marks, HasSubstr("<title>rms_norm #2 small, |&lt;b&gt;\n"
                               "cuda: 4.000 μs, S 1.0%\n"
                               "torch_compiled 8.000 μs, S 0.5% (2.00x)\n"
                               "bound 40 ns, AI "));
}

TEST_F(BenchViews, dots_have_a_line_an_operator_and_a_tick_a_median) {
  const std::string body = bench_dots_plot(report()).body;
  EXPECT_EQ(occurrences(body, "<g class=\"line\""), 2U);
  EXPECT_EQ(occurrences(body, "<line class=\"median\""), 1U);
  EXPECT_EQ(occurrences(body, "<line class=\"median rival\""), 2U);
  EXPECT_EQ(occurrences(body, " data-launch="), 8U) << "5 marks and 3 medians";
}

TEST_F(BenchViews, plots_are_files_of_their_own_with_sound_numbers) {
  for (const BenchPlot& plot : {bench_roofline_plot(report()), bench_dots_plot(report())}) {
    const std::string svg = bench_plot_svg(plot);
    EXPECT_THAT(svg, HasSubstr("A Fast &lt;one&gt;"));
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf\"")));
  }
}

TEST_F(BenchViews, can_show_nothing) {
  result.rows.clear();
  EXPECT_THAT(bench_text(report(), 140), HasSubstr("0 shapes: 0 right."));
  EXPECT_THAT(bench_plot_svg(bench_roofline_plot(report())), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace tactus
