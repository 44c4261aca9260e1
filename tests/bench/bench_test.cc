// Which shapes are run, what they add up to, and the file that it is kept in.
#include "bench/bench.h"

#include <gtest/gtest.h>

#include <set>

namespace tactus {
namespace {

Operator made_up(const std::string& name, double importance) {
  Operator op;
  op.name = name;
  op.importance = importance;
  return op;
}

BenchRow row_of(const std::string& operator_name, BenchStatus status, std::optional<double> s) {
  BenchRow row;
  row.operator_name = operator_name;
  row.shape_id = "0";
  row.status = status;
  row.s = s;
  row.s_with_launch = s;
  return row;
}

TEST(PlanBench, takes_everything_if_nothing_is_asked) {
  const Catalogue catalogue = built_in_catalogue();
  const Result<std::vector<BenchTask>> tasks = plan_bench(catalogue, {});
  ASSERT_TRUE(tasks);
  std::size_t shapes = 0;
  for (const Operator& op : catalogue.operators) shapes += op.shapes.size();
  EXPECT_EQ(tasks->size(), shapes);
}

TEST(PlanBench, takes_the_operators_and_shapes_that_are_asked) {
  const Catalogue catalogue = built_in_catalogue();
  const Result<std::vector<BenchTask>> tasks =
      plan_bench(catalogue, {.operators = {"rms_norm"}, .shapes = {"0", "3"}, .quick = false});
  ASSERT_TRUE(tasks);
  ASSERT_EQ(tasks->size(), 2U);
  EXPECT_EQ(tasks->at(0).op->name, "rms_norm");
  EXPECT_EQ(tasks->at(0).shape->id, "0");
  EXPECT_EQ(tasks->at(1).shape->id, "3");
}

TEST(PlanBench, names_the_nearest_operator_for_one_that_it_does_not_know) {
  const Result<std::vector<BenchTask>> tasks =
      plan_bench(built_in_catalogue(), {.operators = {"rms_nrom"}, .shapes = {}, .quick = false});
  ASSERT_FALSE(tasks);
  EXPECT_NE(tasks.error().message.find("rms_norm"), std::string::npos) << tasks.error().message;
}

TEST(PlanBench, names_the_shapes_for_one_that_it_does_not_know) {
  Result<std::vector<BenchTask>> tasks = plan_bench(
      built_in_catalogue(), {.operators = {"rms_norm"}, .shapes = {"777"}, .quick = false});
  ASSERT_FALSE(tasks);
  EXPECT_TRUE(tasks.error().message.starts_with("rms_norm has no shape 777; it has 0 to "))
      << tasks.error().message;
  tasks =
      plan_bench(built_in_catalogue(), {.operators = {}, .shapes = {"0", "777"}, .quick = false});
  ASSERT_FALSE(tasks) << "not silently without it";
  EXPECT_EQ(tasks.error().message, "no operator has a shape 777");
}

TEST(PlanBench, takes_one_shape_of_each_operator_if_quick) {
  const Catalogue catalogue = built_in_catalogue();
  const Result<std::vector<BenchTask>> tasks =
      plan_bench(catalogue, {.operators = {}, .shapes = {}, .quick = true});
  ASSERT_TRUE(tasks);
  std::set<std::string> names;
  for (const BenchTask& task : *tasks) names.insert(task.op->name);
  EXPECT_EQ(tasks->size(), catalogue.operators.size());
  EXPECT_EQ(names.size(), catalogue.operators.size());
}

TEST(BenchScore, weighs_operators_by_their_importance_whatever_it_adds_up_to) {
  Catalogue catalogue;
  catalogue.operators = {made_up("often", 3), made_up("seldom", 1)};
  const std::vector<BenchRow> rows = {row_of("often", BenchStatus::kOk, 0.8),
                                      row_of("seldom", BenchStatus::kOk, 0.4)};
  const BenchScore score = bench_score(catalogue, rows);
  EXPECT_DOUBLE_EQ(score.weighted_s.value(), (3 * 0.8 + 0.4) / 4);
  EXPECT_DOUBLE_EQ(score.covered_importance, 1);
}

TEST(BenchScore, counts_failures_as_zero_and_leaves_out_what_was_skipped) {
  Catalogue catalogue;
  catalogue.operators = {made_up("a", 1), made_up("b", 1), made_up("c", 2)};
  const std::vector<BenchRow> rows = {row_of("a", BenchStatus::kOk, 0.6),
                                      row_of("b", BenchStatus::kWrong, std::nullopt),
                                      row_of("c", BenchStatus::kSkipped, std::nullopt)};
  const BenchScore score = bench_score(catalogue, rows);
  EXPECT_DOUBLE_EQ(score.weighted_s.value(), 0.3);
  EXPECT_DOUBLE_EQ(score.covered_importance, 0.5);
  for (const BenchStatus failed : {BenchStatus::kBuildFailed, BenchStatus::kError,
                                   BenchStatus::kWrong, BenchStatus::kImpossible}) {
    const std::vector<BenchRow> one = {row_of("a", failed, std::nullopt)};
    EXPECT_EQ(bench_score(catalogue, one).weighted_s, 0.0);
  }
}

TEST(BenchScore, takes_the_median_of_the_shapes_of_an_operator) {
  Catalogue catalogue;
  catalogue.operators = {made_up("a", 1)};
  std::vector<BenchRow> rows;
  for (const double s : {0.9, 0.1, 0.5, 0.7}) rows.push_back(row_of("a", BenchStatus::kOk, s));
  EXPECT_DOUBLE_EQ(bench_score(catalogue, rows).weighted_s.value(), 0.6);
}

TEST(BenchScore, is_unknown_where_nothing_was_timed) {
  Catalogue catalogue;
  catalogue.operators = {made_up("a", 1)};
  EXPECT_FALSE(bench_score(catalogue, {}).weighted_s);
  const std::vector<BenchRow> checked = {row_of("a", BenchStatus::kOk, std::nullopt)};
  EXPECT_FALSE(bench_score(catalogue, checked).weighted_s) << "only checked";
}

BenchResult a_result() {
  BenchResult result;
  result.machine = {.name = "A machine",
                    .profile = "host",
                    .driver = "1.2",
                    .date = "2026-11-15",
                    .memory_bandwidth = 1.5e10};
  BenchRow good = row_of("rms_norm", BenchStatus::kOk, 0.5);
  good.candidate = "mine.cu";
  good.note = "it printed: \"hm\"";
  good.max_rel_err = 1e-3;
  good.checked = 1000;
  good.t_ns = 12.5;
  good.t_low_ns = 12;
  good.t_high_ns = 13;
  good.samples_ns = {12, 12.5, 13};
  good.rounds = {2, 1};
  good.interval_known = true;
  good.clock_noise_ns = 0.25;
  good.touch_floor_ns = 4;
  good.copy_ns = 5;
  good.sm_clock_mhz = 1980;
  good.throttled = 4;
  good.t_sol_ns = 6.25;
  good.launch_floor_ns = 2;
  good.rival = RivalTime{"cuda", 11};
  BenchRow bad = row_of("layer_norm", BenchStatus::kWrong, std::nullopt);
  bad.reason = "out[0] is nan\xff";
  bad.mismatch = 3;
  result.rows = {good, bad};
  result.score.weighted_s = 0.25;
  result.score.covered_importance = 0.1;
  return result;
}

TEST(BenchFile, reads_what_it_wrote) {
  const Result<BenchResult> back = read_bench_result(bench_result_text(a_result()), "r.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->machine.name, "A machine");
  EXPECT_EQ(back->machine.driver, "1.2");
  EXPECT_EQ(back->machine.memory_bandwidth, 1.5e10);
  ASSERT_EQ(back->rows.size(), 2U);
  const BenchRow& good = back->rows[0];
  EXPECT_EQ(good.candidate, "mine.cu");
  EXPECT_EQ(good.status, BenchStatus::kOk);
  EXPECT_EQ(good.note, "it printed: \"hm\"");
  EXPECT_EQ(good.max_rel_err, 1e-3);
  EXPECT_EQ(good.checked, 1000);
  EXPECT_EQ(good.t_ns, 12.5);
  EXPECT_EQ(good.t_low_ns, 12);
  EXPECT_EQ(good.t_high_ns, 13);
  EXPECT_EQ(good.samples_ns, (std::vector<double>{12, 12.5, 13}));
  EXPECT_EQ(good.rounds, (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(good.interval_known);
  EXPECT_EQ(good.clock_noise_ns, 0.25);
  EXPECT_EQ(good.touch_floor_ns, 4);
  EXPECT_EQ(good.copy_ns, 5);
  EXPECT_EQ(good.sm_clock_mhz, 1980);
  EXPECT_EQ(good.throttled, 4);
  EXPECT_FALSE(back->rows[1].sm_clock_mhz);
  EXPECT_FALSE(back->rows[1].interval_known);
  EXPECT_EQ(good.t_sol_ns, 6.25);
  EXPECT_EQ(good.s, 0.5);
  EXPECT_EQ(good.launch_floor_ns, 2);
  ASSERT_TRUE(good.rival);
  EXPECT_EQ(good.rival->name, "cuda");
  EXPECT_EQ(good.rival->t_ns, 11);
  EXPECT_EQ(back->rows[1].status, BenchStatus::kWrong);
  EXPECT_EQ(back->rows[1].mismatch, 3);
  EXPECT_FALSE(back->rows[1].t_ns);
  EXPECT_EQ(back->score.weighted_s, 0.25);
  EXPECT_EQ(bench_result_text(*back),
            bench_result_text(*read_bench_result(bench_result_text(*back), "")));
}

TEST(BenchFile, of_nothing_can_be_read_too) {
  const Result<BenchResult> back = read_bench_result(bench_result_text({}), "r.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(back->rows.empty());
}

TEST(BenchFile, that_is_cut_off_is_an_error_that_names_it) {
  const std::string text = bench_result_text(a_result());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    const Result<BenchResult> back = read_bench_result(text.substr(0, length), "r.json");
    ASSERT_FALSE(back) << length;
    EXPECT_TRUE(back.error().message.starts_with("r.json")) << back.error().message;
  }
}

TEST(BenchFile, of_another_kind_is_an_error_that_names_it) {
  for (const char* text :
       {"", "[]", "7", "hello", "{\"results\": 3}", "{\"traceEvents\": []}", "{\"results\": []}",
        "{\"format\": \"tactus bench 2\", \"results\": []}",
        "{\"format\": \"tactus bench 1\", \"results\": [5]}",
        "{\"format\": \"tactus bench 1\", \"results\": [{\"operator\": \"a\"}]}",
        "{\"format\": \"tactus bench 1\", \"results\": [{\"operator\": \"a\", \"shape\": \"0\", "
        "\"status\": \"fine\"}]}"}) {
    const Result<BenchResult> back = read_bench_result(text, "r.json");
    ASSERT_FALSE(back) << text;
    EXPECT_TRUE(back.error().message.starts_with("r.json")) << back.error().message;
  }
}

TEST(BenchFile, of_an_older_version_is_read_without_what_it_did_not_know) {
  const Result<BenchResult> back = read_bench_result(
      R"({"format": "tactus bench 1", "results": [
          {"operator": "a", "shape": "0", "status": "ok", "t_ns": 3, "samples": [1, 2, 3, 4, 5]},
          {"operator": "a", "shape": "1", "status": "ok", "t_ns": 3,
           "samples": [1, 2, 3, 4, 5, 6]}]})",
      "r.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_FALSE(back->rows[0].interval_known) << "five samples have no interval of 95%";
  EXPECT_TRUE(back->rows[1].interval_known);
  EXPECT_FALSE(back->rows[0].clock_noise_ns);
  EXPECT_FALSE(back->rows[0].sm_clock_mhz);
  EXPECT_EQ(back->rows[0].throttled, 0);
}

TEST(BenchFile, claims_no_confidence_where_there_were_too_few_samples) {
  BenchResult result = a_result();
  EXPECT_NE(bench_result_text(result).find("\"confidence\":0.95"), std::string::npos);
  result.rows[0].interval_known = false;
  EXPECT_EQ(bench_result_text(result).find("\"confidence\":0.95"), std::string::npos);
}

TEST(BenchFile, with_fields_of_the_wrong_type_is_read_without_them) {
  const Result<BenchResult> back = read_bench_result(
      R"({"format": "tactus bench 1", "hardware": [1], "results": [{"operator": "a", "shape": "0",
          "status": "ok", "t_ns": "fast", "samples": {"a": 1}, "rival": 7}], "score": 3})",
      "r.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_FALSE(back->rows[0].t_ns);
  EXPECT_TRUE(back->rows[0].samples_ns.empty());
}

}  // namespace
}  // namespace tactus
