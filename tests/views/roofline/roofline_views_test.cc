#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/json.h"
#include "catalogue/operator_family.h"
#include "support/sample_roofline.h"
#include "views/catalogue/operators_view.h"
#include "views/common/json.h"
#include "views/roofline/roofline_cells.h"
#include "views/roofline/roofline_plot.h"
#include "views/roofline/roofline_svg.h"
#include "views/roofline/roofline_view.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(RooflineCells, are_rounded_as_the_published_page_rounds) {
  EXPECT_EQ(bound_text(27184.0), "27.18 us");
  EXPECT_EQ(bound_text(4.0), "0.00 us");
  EXPECT_EQ(bound_text(999994.0), "999.99 us");
  EXPECT_EQ(bound_text(999996.0), "1.00 ms");
  EXPECT_EQ(deployed_text(118300.0), "118 us");
  EXPECT_EQ(deployed_text(29410000.0), "29.4 ms");
  ShapeOnHardware measured;
  measured.t_prod_ns = 6400;
  EXPECT_EQ(deployed_text(measured), "6 us");
  measured.t_prod_by = "triton";
  EXPECT_EQ(deployed_text(measured), "6.40 us");
  EXPECT_EQ(intensity_text(102.83), "102.8");
  EXPECT_EQ(intensity_text(15430), "15.4k");
  EXPECT_EQ(printed_percent(0.0738), "7.4%");
  EXPECT_EQ(printed_percent(std::nullopt), "unknown");
  EXPECT_EQ(bound_text(std::optional<double>()), "unknown");
}

TEST(RooflineCells, write_amounts_with_three_digits) {
  EXPECT_EQ(amount_text(0, "B"), "0 B");
  EXPECT_EQ(amount_text(999, "B"), "999 B");
  EXPECT_EQ(amount_text(1234, "B"), "1.23 kB");
  EXPECT_EQ(amount_text(999999, "B"), "1.00 MB");
  EXPECT_EQ(amount_text(465.3e12, "FLOP/s"), "465 TFLOP/s");
}

TEST(JsonText, writes_what_a_parser_reads_back) {
  JsonText text;
  text.open_object().key("a\"b").open_array().number(0.1).number(NAN).null().boolean(true);
  text.text("\n<").close_array().key("c").open_object().close_object();
  text.key("d").text_or_null("").close_object();
  const Json value = Json::parse(std::move(text).take());
  EXPECT_EQ(value, Json::parse(R"({"a\"b":[0.1,null,null,true,"\n<"],"c":{},"d":null})"));
}

TEST(RooflineJson, has_the_fields_that_others_rely_on) {
  const testing::SampleRoofline sample;
  const Json document = Json::parse(show_roofline_json(sample.roofline()));
  ASSERT_EQ(document["rows"].size(), 3U);
  const Json& row = document["rows"][0];
  for (const char* field :
       {"operator", "shape", "label", "framework", "tp", "phase", "W", "Q_read", "Q_write", "ai",
        "regime", "t_sol_ns", "limit", "t_prod_ns", "s", "s_printed", "s_with_launch"}) {
    EXPECT_TRUE(row.contains(field)) << field;
  }
  EXPECT_EQ(row["shape"], "2");
  EXPECT_EQ(row["tp"], 1);
  EXPECT_EQ(row["limit"]["Fast"], "launch");
  EXPECT_EQ(row["t_prod_ns"]["Fast"], 4000.0);
  EXPECT_TRUE(row["t_prod_ns"]["Slow"].is_null());
  EXPECT_TRUE(document["rows"][2]["t_sol_ns"]["Slow"].is_null());
  EXPECT_TRUE(document["rows"][2]["framework"].is_null());
  EXPECT_EQ(document["launch_floor_ns"]["Fast"], 2000.0);
  EXPECT_TRUE(document["launch_floor_ns"]["Slow"].is_null());
  EXPECT_TRUE(document["scores"]["Slow"]["weighted_s"].is_null());
  EXPECT_EQ(document["importance_sum"], 1.25);
  EXPECT_EQ(document["formulas"].size(), 2U);
  EXPECT_EQ(document["warnings"].size(), 1U);
  EXPECT_TRUE(document["dropped"].is_object());
}

TEST(RooflineCsv, has_a_line_a_shape_and_machine) {
  const testing::SampleRoofline sample;
  const std::string csv = show_roofline_csv(sample.roofline());
  EXPECT_EQ(occurrences(csv, "\n"), 1U + 3 * 2);
  EXPECT_THAT(csv, HasSubstr("\"small, |<b>\""));
  EXPECT_THAT(csv, HasSubstr(",strict,Slow,,,,,,,\n"));  // no bound, no time
}

TEST(RooflineText, says_whose_times_they_are_and_what_the_score_means) {
  const testing::SampleRoofline sample;
  const std::string text = show_roofline_text(sample.roofline(), 120);
  EXPECT_THAT(text, HasSubstr("T_SOL(Fast)"));
  EXPECT_THAT(text, HasSubstr("T_Prod and S are those of Fast."));
  EXPECT_THAT(text, HasSubstr("add up to 1.250, not 1"));
  EXPECT_THAT(text, HasSubstr("Slow has no peak for int8"));
}

TEST(RooflineText, shows_one_shape_in_both_models) {
  const testing::SampleRoofline sample;
  RooflineQuestion question;
  question.operator_name = "rms_norm";
  question.shape_id = "10";
  const Roofline strict = sample.roofline(question);
  question.model = CostModel::kCatalogue;
  const std::string text = show_shape_text(strict, sample.roofline(question), 120);
  EXPECT_THAT(text, HasSubstr("tokens=1000000 hidden=1024 dtype=bf16"));
  EXPECT_THAT(text, HasSubstr("sglang/vllm, TP 4, prefill"));
  EXPECT_THAT(text, HasSubstr("T_SOL strict"));
  EXPECT_THAT(text, HasSubstr("T_SOL catalogue"));
}

TEST(RooflineMarkdown, cannot_be_broken_by_a_label) {
  const testing::SampleRoofline sample;
  const std::string text = show_roofline_markdown(sample.roofline(), sample.catalogue);
  EXPECT_THAT(text, HasSubstr("small, \\|\\<b\\>"));
}

TEST(RooflineSvg, has_a_dot_a_shape_with_its_name) {
  const testing::SampleRoofline sample;
  const std::string svg = show_roofline_svg(sample.roofline());
  EXPECT_EQ(occurrences(svg, "<circle data-i="), 3U);
  EXPECT_THAT(svg, HasSubstr("rms_norm #2 small, |&lt;b&gt;: AI"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf\"")));
}

TEST(RooflineSvg, keeps_labels_of_roofs_apart) {
  PlotFrame frame;
  const std::string svg = roof_labels_svg(
      frame, {{.y = 10, .text = "a"}, {.y = 11, .text = "b"}, {.y = 12, .text = "c"}});
  const std::regex place("y=\"([-0-9.]+)\"");
  std::vector<double> ys;
  for (std::sregex_iterator it(svg.begin(), svg.end(), place), end; it != end; ++it) {
    ys.push_back(std::stod((*it)[1]));
  }
  ASSERT_EQ(ys.size(), 3U);
  EXPECT_GE(ys[1] - ys[0], 12.5);
  EXPECT_GE(ys[2] - ys[1], 12.5);
}

TEST(RooflineSvg, is_drawn_without_machines_and_without_shapes) {
  EXPECT_THAT(show_roofline_svg(Roofline{}), HasSubstr("no machine"));
}

TEST(RooflinePlot, rises_with_the_bandwidth_even_if_the_ridge_is_not_in_it) {
  testing::SampleRoofline sample;
  for (const double peak : {2e12, 1e15}) {
    sample.fast.vector_flops[static_cast<std::size_t>(NumberType::kFp32)]->value = peak;
    RooflineQuestion question;
    question.operator_name = "rms_norm";
    const Roofline roofline = sample.roofline(question);
    const Roofline* const all[] = {&roofline};
    const PlotFrame frame = plot_frame(all);
    std::vector<RoofLabel> labels;
    const std::string svg = roof_svg(frame, roofline, 0, false, labels);
    const std::regex slope(R"(M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+))");
    std::smatch ends;
    ASSERT_TRUE(std::regex_search(svg, ends, slope)) << svg;
    const double across = (std::stod(ends[3]) - std::stod(ends[1])) / frame.intensity.per_decade();
    const double up = (std::stod(ends[4]) - std::stod(ends[2])) / frame.flops.per_decade();
    EXPECT_GT(across, 0.1);
    EXPECT_NEAR(up / across, 1, 0.01) << "peak " << peak;
    EXPECT_EQ(labels.empty(), peak > 1e14) << "a peak that is not shown has no label";
  }
}

TEST(OperatorsView, lists_them_with_what_they_are) {
  const testing::SampleRoofline sample;
  const Json list = Json::parse(operators_json(sample.catalogue));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["name"], "rms_norm");
  EXPECT_EQ(list[0]["id"], "own_001");
  EXPECT_EQ(list[0]["dtype"], "bf16");
  EXPECT_EQ(list[0]["importance"], 0.75);
  EXPECT_EQ(list[0]["shapes"], 2);
  EXPECT_THAT(show_operators(sample.catalogue, 120), HasSubstr("2 operators in 3 shapes"));
}

TEST(OperatorFamily, goes_by_the_words_of_the_name) {
  const auto family = [](std::string_view name) {
    return kOperatorFamilies[operator_family(name)];
  };
  EXPECT_EQ(family("unified_attention"), "attention");
  EXPECT_EQ(family("fused_rmsnorm_quant"), "quantisation");
  EXPECT_EQ(family("fused_qk_rmsnorm"), "norm");
  EXPECT_EQ(family("moe_sum_reduce"), "mixture of experts");
  EXPECT_EQ(family("block_scaled_mm"), "matrix product");
  EXPECT_EQ(family("silu_and_mul"), "other");
}

}  // namespace
}  // namespace tactus
