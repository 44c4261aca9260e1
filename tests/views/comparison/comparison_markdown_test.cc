#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_comparison.h"
#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ComparisonMarkdown, says_the_same_as_the_text) {
  const std::string text = show_comparison_markdown(testing::sample_comparison());
  EXPECT_THAT(text, StartsWith("# abnormal against normal\n\n**Each launch takes 3.57 times"));
  EXPECT_THAT(text, HasSubstr("Verdict: cpu\\_frequency on Host, confidence high, explains 93.0%"));
  EXPECT_THAT(text, HasSubstr("Comparable: yes, per launch."));
  EXPECT_THAT(text, HasSubstr("| x3.57 | 3.40 to 3.80 | 14 and 238 | 100.0% | decode |"));
  EXPECT_THAT(text, HasSubstr("| +1.618 s | 99.7% | x3.57 | \\<0.001 | decode | oncpu |"));
  EXPECT_THAT(text, HasSubstr("```\ncpupower frequency-info\n```"));
}

TEST(ComparisonMarkdown, a_name_cannot_become_markup) {
  const std::string text = show_comparison_markdown(testing::hostile_comparison());
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\\</script\\>"));
  // Inside the code block of a command nothing is markup, and the block ends where it should.
  EXPECT_THAT(text, HasSubstr("`tick`"));
}

TEST(ComparisonMarkdown, a_command_cannot_close_its_block) {
  Comparison comparison = testing::sample_comparison();
  comparison.next = {{.text = "odd", .command = "echo ```` x"}};
  EXPECT_THAT(show_comparison_markdown(comparison), HasSubstr("`````\necho ```` x\n`````\n"));
}

}  // namespace
}  // namespace tactus
