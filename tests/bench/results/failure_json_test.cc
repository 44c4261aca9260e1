#include "bench/results/failure_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/bench.h"
#include "support/sample_bench.h"
#include "views/common/json_fields.h"

namespace tactus::testing {
namespace {

Failure sample_failure() {
  return {.checked = 100,
          .wrong = 7,
          .first = {{.output = "out",
                     .indices = {3, 17},
                     .got = NAN,
                     .expected = -HUGE_VAL,
                     .allowed = "within 1 ulp of bf16"},
                    {.output = "out",
                     .indices = {3, 18},
                     .got = 0.5,
                     .expected = 0.75,
                     .allowed = "the nearest bf16"}},
          .inputs = {{.name = "x", .indices = {3, 13}, .values = {1, HUGE_VAL, 2.5}}},
          .pattern = {"only in row 3"},
          .mistakes = {{"wrong_epsilon", "as if eps were 1e-05"}}};
}

TEST(FailureJson, keeps_everything) {
  const Json written = failure_json(sample_failure());
  EXPECT_EQ(written.dump(), failure_json(*failure_of_json(Json::parse(written.dump()))).dump());
  EXPECT_NE(written.dump().find("\"nan\""), std::string::npos);
  EXPECT_NE(written.dump().find("\"-inf\""), std::string::npos);
}

TEST(FailureJson, reads_what_is_there) {
  EXPECT_FALSE(failure_of_json(Json(nullptr)));
  EXPECT_FALSE(failure_of_json(Json("text")));
  EXPECT_TRUE(failure_of_json(Json::parse("{}")));
  const std::optional<Failure> odd = failure_of_json(Json::parse(
      R"({"wrong":"x","first":[1,{"indices":"a","got":{}}],"inputs":{},"pattern":[1],"mistakes":[[]]})"));
  ASSERT_TRUE(odd);
  ASSERT_EQ(odd->first.size(), 1u);
  EXPECT_TRUE(std::isnan(odd->first[0].got));
}

TEST(FailureJson, is_part_of_a_row_as_documented) {
  BenchResult result = sample_bench();
  BenchRow& row = result.rows[0];
  row.status = BenchStatus::kWrong;
  row.failure = sample_failure();
  row.slack_used = 0.5;
  row.tolerance = "out: the nearest bf16";
  row.variant = "rounded_once";
  const std::string text = bench_result_text(result);
  const Status fits = check_json(Json::parse(text), bench_fields());
  EXPECT_TRUE(fits) << fits.error().message;
  const Result<BenchResult> read = read_bench_result(text, "file");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows[0].failure->wrong, 7);
  EXPECT_EQ(read->rows[0].slack_used, 0.5);
  EXPECT_EQ(read->rows[0].tolerance, row.tolerance);
  EXPECT_EQ(read->rows[0].variant, "rounded_once");
  EXPECT_FALSE(read->rows[1].failure);
}

}  // namespace
}  // namespace tactus::testing
