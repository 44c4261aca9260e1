#include "watch/evaluate/evaluation.h"

#include <gtest/gtest.h>

#include <set>

#include "support/files.h"
#include "views/common/json_fields.h"
#include "views/watch/evaluation_view.h"
#include "watch/evaluate/detection.h"
#include "watch/evaluate/synthetic.h"
#include "watch/sources/step_csv.h"

namespace tactus::watch {
namespace {

/// Jobs of one server at different times of its load.
StepTable made_up_jobs() {
  StepTable table;
  Deployment deployment = deployments()[0];
  for (std::uint64_t i = 0; i < 12; ++i) {
    deployment.arrivals_per_step = 0.02 + 0.015 * static_cast<double>(i);
    StepStream job = make_steps(deployment, 600, i);
    // The server is empty at first.
    job.steps.erase(job.steps.begin(), job.steps.begin() + 300);
    job.name = "job" + std::to_string(i);
    table.streams.push_back(std::move(job));
  }
  return table;
}

const DetectionRow& row_of(const std::vector<DetectionRow>& rows, const std::string& name) {
  for (const DetectionRow& row : rows) {
    if (row.injection.name() == name) return row;
  }
  ADD_FAILURE() << name;
  return rows.front();
}

TEST(Evaluation, finds_what_was_injected_into_made_up_steps_and_nothing_else) {
  NoProgress progress;
  const Result<Evaluation> e = evaluate(
      made_up_jobs(), {.bootstrap_steps = 5000, .synthetic_steps = 500, .threads = 2}, progress);
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_LT(e->decode_error, 0.02);
  EXPECT_EQ(e->quiet[2].alerts, 0U);
  EXPECT_EQ(row_of(e->middle, "step x1.2").found, 1);
  EXPECT_EQ(row_of(e->middle, "step x1.2 for 40 steps").found, 1);
  EXPECT_LE(row_of(e->middle, "step x1.1").delay_steps, 5);
  EXPECT_GT(row_of(e->middle, "step x1.2").shape_right.value_or(0), 0.9);
}

TEST(Evaluation, is_the_same_for_the_same_seed) {
  NoProgress progress;
  const EvaluateOptions options{.bootstrap_steps = 2000, .synthetic_steps = 300, .threads = 2};
  const StepTable table = made_up_jobs();
  Evaluation a = *evaluate(table, options, progress);
  Evaluation b = *evaluate(table, options, progress);
  a.ns_per_step = b.ns_per_step = 0;
  EXPECT_EQ(show_evaluation_json(a), show_evaluation_json(b));
  const Status fits = check_json(Json::parse(show_evaluation_json(a)), watch_evaluation_fields());
  EXPECT_TRUE(fits) << fits.error().message;
}

TEST(Evaluation, says_when_there_is_too_little_to_split) {
  NoProgress progress;
  StepTable table = made_up_jobs();
  table.streams.resize(3);
  const Result<Evaluation> e = evaluate(table, {}, progress);
  ASSERT_FALSE(e);
  EXPECT_NE(e.error().message.find("at least 5 jobs"), std::string::npos);
}

TEST(Evaluation, reaches_its_goals_on_the_published_file) {
  const std::optional<std::string> file = testing::shared_file("data/watch/normal_vllm.csv.gz");
  if (!file) GTEST_SKIP() << "the published file is not here";
  NoProgress progress;
  const Result<Evaluation> e =
      evaluate(*read_step_csv(*file),
               {.bootstrap_steps = 300'000, .synthetic_steps = 2000, .threads = 2}, progress);
  ASSERT_TRUE(e);
  // One sub-sweep of the file was slow for a while: three of its jobs are far off, and one by just
  // 5%.
  const std::set<std::string> off(e->contaminated.begin(), e->contaminated.end());
  for (const char* known : {"in512_out512_conc1", "in512_out512_conc2", "in512_out512_conc50"}) {
    EXPECT_TRUE(off.contains(known)) << known;
  }
  for (const std::string& job : off) EXPECT_TRUE(job.starts_with("in512_out512_conc")) << job;
  EXPECT_LE(off.size(), 4U);
  for (const LearningPoint& point : e->learning) {
    if (point.steps == 100) {
      EXPECT_LE(point.error, 0.013);
    }
    if (point.steps == 1000) {
      EXPECT_LE(point.error, 0.011);
    }
  }
  EXPECT_LE(
      1000.0 * static_cast<double>(e->quiet[0].episodes) / static_cast<double>(e->quiet[0].steps),
      0.3);
  EXPECT_EQ(e->quiet[2].alerts, 0U);
  EXPECT_GE(row_of(e->middle, "step x1.05").found, 0.80);
  EXPECT_GE(row_of(e->middle, "step x1.1").found, 0.98);
  EXPECT_GE(row_of(e->middle, "step x1.2").found, 0.98);
  EXPECT_LE(row_of(e->middle, "step x1.05").delay_steps, 20);
  EXPECT_LE(row_of(e->middle, "step x1.1").delay_steps, 3);
  EXPECT_LE(row_of(e->middle, "step x1.2").delay_steps, 2);
  EXPECT_GT(e->jumps, 0U);
  EXPECT_EQ(e->jumps_with_alarm, 0U);
  for (const F1Row& row : e->f1) {
    if (row.rule.starts_with("ours")) {
      EXPECT_GE(row.f1, 0.98) << row.rule << row.factor;
    }
  }
}

}  // namespace
}  // namespace tactus::watch
