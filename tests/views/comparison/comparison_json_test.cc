#include <gtest/gtest.h>

#include <cmath>

#include "support/sample_comparison.h"
#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

Json parsed(const Comparison& comparison, const ComparisonContext& context = {}) {
  return Json::parse(show_comparison_json(comparison, context));
}

TEST(ComparisonJson, has_the_fields_that_others_rely_on) {
  const Json json = parsed(testing::sample_comparison());
  EXPECT_EQ(json["comparable"], true);
  EXPECT_EQ(json["comparability"]["anchors"][0], "Scheduler.run_batch");
  EXPECT_EQ(json["comparability"]["launches_per_cycle"], Json::parse("[985.0, 15.0]"));
  EXPECT_EQ(json["comparability"]["kernel_jaccard"], 0.015);
  EXPECT_EQ(json["comparability"]["aligned_by"], "per_launch");
  EXPECT_EQ(json["change"]["ratio"], 3.57);
  EXPECT_EQ(json["change"]["unit"], "launch");
  EXPECT_EQ(json["change"]["phase"], "decode");
  EXPECT_EQ(json["change"]["mean"]["low"], 3.42);
  EXPECT_TRUE(json["change"]["p99"].is_null());
  EXPECT_EQ(json["change"]["shape"], "every");
  EXPECT_EQ(json["change"]["by_phase"][0]["n"], Json::parse("[14, 238]"));
  EXPECT_EQ(json["change"]["by_rank"][0]["rank"], 0);
  EXPECT_EQ(json["verdict"]["class"], "cpu_frequency");
  EXPECT_EQ(json["verdict"]["resource"], "cpu_frequency");
  EXPECT_EQ(json["verdict"]["confidence"], "high");
  EXPECT_EQ(json["verdict"]["phase"], "decode");
  EXPECT_EQ(json["verdict"]["felt"], "slower");
  EXPECT_EQ(json["verdict"]["explains"], 0.93);
  EXPECT_TRUE(json["verdict"]["rank"].is_null());
  EXPECT_EQ(json["verdict"]["also"][0], "cpu_contention");
  EXPECT_EQ(json["where"][0]["what"], "oncpu");
  EXPECT_EQ(json["where"][0]["delta_ns_per_cycle"], 1.618e9);
  EXPECT_TRUE(json["where"][3]["q"].is_null());
  EXPECT_EQ(json["why"][0]["role"], "cause");
  EXPECT_EQ(json["why"][1]["role"], "symptom");
  EXPECT_EQ(json["seen"][0]["resource"], "disk_read");
  EXPECT_FALSE(json.contains("rules"));
  EXPECT_EQ(json["rows"], Json::array());
  EXPECT_TRUE(json["warnings"].is_array());
  EXPECT_TRUE(json["dropped"].is_object());
}

TEST(ComparisonJson, what_is_unknown_is_null) {
  Comparison comparison;
  comparison.counter_shifts.push_back({.counter = "c", .ratio = INFINITY, .low = NAN});
  comparison.time_breakdown.push_back({.what = "k", .kind = "function", .state = "new"});
  const Json json = parsed(comparison);
  EXPECT_EQ(json["comparable"], false);
  EXPECT_TRUE(json["change"].is_null());
  EXPECT_TRUE(json["verdict"]["resource"].is_null());
  EXPECT_TRUE(json["verdict"]["device"].is_null());
  EXPECT_TRUE(json["comparability"]["aligned_by"].is_null());
  EXPECT_TRUE(json["comparability"]["launches_per_cycle"][0].is_null());
  EXPECT_TRUE(json["comparability"]["kernel_jaccard"].is_null());
  EXPECT_TRUE(json["why"][0]["ratio"].is_null());
  EXPECT_TRUE(json["why"][0]["low"].is_null());
  EXPECT_TRUE(json["where"][0]["ratio"].is_null()) << "what is new has no ratio";
}

TEST(ComparisonJson, carries_the_classic_rows_if_there_are_some) {
  const std::vector<ClassicRow> rows = testing::sample_classic_rows();
  const Json json = parsed(testing::sample_comparison(), {.rows = &rows});
  ASSERT_EQ(json["rows"].size(), 3U);
  EXPECT_EQ(json["rows"][1]["function"], "oncpu");
  EXPECT_EQ(json["rows"][1]["beta"], Json::parse("[162.78, 156.42]"));
  EXPECT_TRUE(json["rows"][1]["mu_p"].is_null());
}

TEST(ComparisonJson, adds_up_what_both_runs_lost) {
  auto normal = tactus::Run();
  auto abnormal = tactus::Run();
  normal.dropped["malformed"] = 2;
  abnormal.dropped["malformed"] = 3;
  abnormal.warnings.push_back("cut off");
  const ComparisonContext context = context_of(normal, abnormal, {"good", "bad"});
  const Json json = parsed(testing::sample_comparison(), context);
  EXPECT_EQ(json["dropped"]["malformed"], 5);
  EXPECT_EQ(json["warnings"], Json::parse(R"(["bad: cut off"])"));
}

}  // namespace
}  // namespace tactus
