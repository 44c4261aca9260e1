#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "support/sample_comparison.h"
#include "views/common/text_table.h"
#include "views/comparison/comparison_cells.h"
#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kWidth = 120;

TEST(ComparisonText, says_the_verdict_first) {
  const std::string text = show_comparison_text(testing::sample_comparison(), kWidth);
  EXPECT_THAT(text, StartsWith("Each launch takes 3.57 times as long, because the CPU clock fell"));
  EXPECT_THAT(
      text,
      HasSubstr("cpu_frequency on Host, confidence high, explains 93.0%; also cpu_contention"));
}

TEST(ComparisonText, gives_how_much_where_and_why_with_their_doubt) {
  const std::string text = show_comparison_text(testing::sample_comparison(), kWidth);
  EXPECT_THAT(
      text,
      HasSubstr("x3.57 per decode launch, 95% interval 3.40 to 3.80; mean x3.61 (3.42 to 3.81)"));
  EXPECT_THAT(text, HasSubstr("+1.618 s  99.7%   x3.57  <0.001  decode  oncpu"));
  EXPECT_THAT(text, HasSubstr("cause   3,500       900  x0.257"));
  EXPECT_THAT(text, HasSubstr("seen        disk_read of Host rose from 1 to 90 MB/s."));
  EXPECT_THAT(text, HasSubstr("$ cpupower frequency-info"));
}

TEST(ComparisonText, has_no_line_wider_than_asked) {
  const std::string text = show_comparison_text(testing::sample_comparison(), kWidth);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), kWidth) << line;
}

TEST(ComparisonText, names_cannot_drive_the_terminal) {
  const std::string text = show_comparison_text(testing::hostile_comparison(), kWidth);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x01")));
}

TEST(ComparisonText, what_is_unknown_is_called_so) {
  const std::string text = show_comparison_text(Comparison(), kWidth);
  EXPECT_THAT(text, HasSubstr("comparable  no"));
  EXPECT_THAT(text, HasSubstr("how much    unknown: the two are not comparable"));
  EXPECT_THAT(text, HasSubstr("where       unknown"));
  EXPECT_THAT(text, HasSubstr("why         unknown"));
}

TEST(ComparisonCells, numbers_have_the_digits_that_matter) {
  EXPECT_EQ(ratio_text(3.5712), "x3.57");
  EXPECT_EQ(ratio_text(18612.3), "x18612");
  EXPECT_EQ(ratio_text(0.018), "x0.018");
  EXPECT_EQ(ratio_text(INFINITY), "from 0");
  EXPECT_EQ(ratio_text(NAN), "unknown");
  EXPECT_EQ(interval_text(3.4, 3.8), "3.40 to 3.80");
  EXPECT_EQ(interval_text(2, INFINITY), "2.00 and more");
  EXPECT_EQ(interval_text(NAN, 2), "unknown");
  EXPECT_EQ(delta_text(-2.6e7), "-26.000 ms");
  EXPECT_EQ(delta_text(0), "0 ns");
  EXPECT_EQ(q_text({}), "unknown");
  EXPECT_EQ(q_text(0.0132), "0.013");
  EXPECT_EQ(level_text(115500), "115,500");
  EXPECT_EQ(level_text(85.7033), "85.70");
  EXPECT_EQ(level_text(0.0375), "0.0375");
  EXPECT_EQ(level_text(2.486e13), "2.49e+13");
  EXPECT_EQ(level_text(-4200), "-4,200");
}

}  // namespace
}  // namespace tactus
