#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <vector>

#include "support/sample_comparison.h"
#include "views/common/html.h"
#include "views/comparison/comparison_charts.h"
#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// What is not closed, or closed without being open, in the order of appearance. Scripts and styles
/// hold no tags.
std::vector<std::string> unbalanced_tags(const std::string& page) {
  std::string html = page;
  for (const std::string name : {"script", "style"}) {
    for (std::size_t begin; (begin = html.find("<" + name)) != std::string::npos;) {
      html.erase(begin, html.find("</" + name + ">", begin) + name.size() + 3 - begin);
    }
  }
  const std::regex tag(R"(<(/?)([a-z][a-z0-9]*)[^>]*?(/?)>)");
  std::vector<std::string> open;
  std::vector<std::string> wrong;
  for (std::sregex_iterator it(html.begin(), html.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2];
    if ((*it)[3] == "/" || name == "meta" || name == "input") continue;
    if ((*it)[1] != "/") {
      open.push_back(name);
    } else if (!open.empty() && open.back() == name) {
      open.pop_back();
    } else {
      wrong.push_back("/" + name);
    }
  }
  wrong.insert(wrong.end(), open.begin(), open.end());
  return wrong;
}

std::string page_of(const Comparison& comparison) {
  const std::vector<ClassicRow> rows = testing::sample_classic_rows();
  return show_comparison_html(comparison, {.rows = &rows});
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ComparisonHtml, is_one_well_formed_page) {
  const std::string page = page_of(testing::sample_comparison());
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("<h1>Each launch takes 3.57 times as long"));
  EXPECT_EQ(unbalanced_tags(page), std::vector<std::string>());
  EXPECT_EQ(unbalanced_tags(show_comparison_html(Comparison(), {})), std::vector<std::string>());
}

TEST(ComparisonHtml, needs_nothing_from_outside) {
  const std::string page = page_of(testing::sample_comparison());
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
}

TEST(ComparisonHtml, a_name_stays_a_name) {
  const std::string page = page_of(testing::hostile_comparison());
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_EQ(occurrences(page, "</script>"), 2U);
  EXPECT_EQ(unbalanced_tags(page), std::vector<std::string>());
}

TEST(ComparisonHtml, carries_its_numbers_as_json) {
  const std::string page = page_of(testing::hostile_comparison());
  const std::string open = "id=\"comparison\">";
  const std::size_t begin = page.find(open) + open.size();
  const Json json = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(json["verdict"]["text"], testing::hostile_comparison().verdict.text);
  EXPECT_EQ(json["rows"].size(), 3U);
}

TEST(ComparisonHtml, the_classic_table_is_there_only_with_classic_rows) {
  EXPECT_THAT(page_of(testing::sample_comparison()), HasSubstr("<table id=\"classic\">"));
  EXPECT_THAT(show_comparison_html(testing::sample_comparison(), {}),
              Not(HasSubstr("<table id=\"classic\">")));
}

TEST(ComparisonCharts, the_waterfall_goes_from_a_normal_step_to_an_abnormal_one) {
  const std::string html = waterfall_html(testing::sample_comparison());
  EXPECT_LT(html.find("one cycle, normal"), html.find("oncpu"));
  EXPECT_LT(html.find("oncpu"), html.find("one cycle, abnormal"));
  EXPECT_THAT(html, Not(HasSubstr("flash_fwd"))) << "a function is in one of the parts";
  EXPECT_EQ(waterfall_html(Comparison()), "");
}

TEST(ComparisonCharts, shows_a_point_a_step_and_bounds_their_number) {
  Comparison comparison = testing::sample_comparison();
  EXPECT_EQ(occurrences(step_chart_html(comparison), "h0"), 14U + 238U);
  EXPECT_THAT(step_chart_html(comparison), HasSubstr("of different kinds"));
  comparison.step_ms[1].assign(1'000'000, 38.5);
  EXPECT_LE(occurrences(step_chart_html(comparison), "h0"), 14U + 1200U);
  comparison.step_ms = {};
  EXPECT_EQ(step_chart_html(comparison), "");
}

TEST(ComparisonCharts, survives_odd_times) {
  Comparison comparison = testing::sample_comparison();
  comparison.step_ms = {std::vector<double>{0}, std::vector<double>{0, -1, 1e300, 1e-300}};
  EXPECT_THAT(step_chart_html(comparison), Not(HasSubstr("nan")));
}

TEST(HtmlText, escapes_whatever_a_name_holds) {
  EXPECT_EQ(html_text("a<b>&\"'\x01"), "a&lt;b&gt;&amp;&quot;&#39;\\x01");
  EXPECT_EQ(html_json(Json("</script>&")), "\"\\u003c/script\\u003e\\u0026\"");
}

}  // namespace
}  // namespace tactus
