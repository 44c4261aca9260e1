#include "drill/drill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/json.h"
#include "record/recorded_program.h"
#include "run/tact/tact_file.h"
#include "support/paths.h"

namespace tactus::drill {
namespace {

namespace fs = std::filesystem;
using enum VerdictClass;

TEST(DrillGrade, what_was_felt_must_be_named) {
  EXPECT_EQ(grade_of(Slower::kYes, kDisk, true, {kDisk}), Grade::kRight);
  EXPECT_EQ(grade_of(Slower::kYes, kUnknown, true, {kDisk}), Grade::kMissed);
  EXPECT_EQ(grade_of(Slower::kYes, kNone, true, {kDisk}), Grade::kMissed);
  EXPECT_EQ(grade_of(Slower::kYes, kPcie, true, {kDisk}), Grade::kWrong);
}

TEST(DrillGrade, what_was_not_felt_must_not_be_called_something_else) {
  EXPECT_EQ(grade_of(Slower::kNo, kNone, true, {kDisk}), Grade::kRight);
  EXPECT_EQ(grade_of(Slower::kNo, kDisk, true, {kDisk}), Grade::kRight);
  EXPECT_EQ(grade_of(Slower::kNo, kPcie, true, {kDisk}), Grade::kWrong);
}

TEST(DrillGrade, not_judged_is_never_right) {
  EXPECT_EQ(grade_of(Slower::kNotJudged, kDisk, true, {kDisk}), Grade::kNotJudged);
  EXPECT_EQ(grade_of(Slower::kNotJudged, kNone, true, {kDisk}), Grade::kNotJudged);
  EXPECT_EQ(grade_of(Slower::kNo, kUnknown, false, {kDisk}), Grade::kNotJudged);
}

TEST(DrillGrade, steps_are_slower_if_the_typical_one_or_the_mean_is) {
  const RatioRow same{1.0, 0.99, 1.01};
  const RatioRow slow{1.2, 1.1, 1.3};
  const RatioRow unclear{1.04, 0.9, 1.2};
  EXPECT_EQ(slower_of(slow, slow), Slower::kYes);
  EXPECT_EQ(slower_of(same, slow), Slower::kYes);  // some steps stall
  EXPECT_EQ(slower_of(same, same), Slower::kNo);
  EXPECT_EQ(slower_of(same, unclear), Slower::kNotJudged);
  EXPECT_EQ(slower_of(same, RatioRow{}), Slower::kNo);
  EXPECT_EQ(slower_of(unclear, same), Slower::kNotJudged);
}

/// A run of steps that take `ms(second)` each.
Cycles cycles_of(double seconds, const std::function<double(double)>& ms) {
  Cycles cycles;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(seconds * 1e9);) {
    Cycle cycle;
    cycle.start_ns = at;
    cycle.dur_ns = static_cast<std::int64_t>(ms(static_cast<double>(at) / 1e9) * 1e6);
    cycle.phase = Phase::kDecode;
    at += cycle.dur_ns;
    cycles.cycles.push_back(cycle);
  }
  return cycles;
}

/// An injection of 4 s every 14 s.
std::vector<Injected> injections(std::size_t count) {
  std::vector<Injected> injected(count);
  for (std::size_t i = 0; i < count; ++i) {
    injected[i].asked_ns = injected[i].begin_ns =
        static_cast<std::int64_t>(10 + 14 * i) * 1'000'000'000;
    injected[i].end_ns = injected[i].begin_ns + 4'000'000'000;
    injected[i].rest_s = 10;
  }
  return injected;
}

TEST(DrillWindows, on_a_quiet_machine_they_change_nothing) {
  const auto is_loaded = [](double s) { return s >= 10 && std::fmod(s - 10, 14) < 4; };
  const StepWindows windows = step_windows(
      cycles_of(150, [&](double s) { return is_loaded(s) ? 11 : 10 + 0.1 * std::sin(s); }),
      injections(10));
  ASSERT_EQ(windows.resting.size(), 11U);
  const RatioRow among = among_windows({windows.injected[0]->typical}, typical_of(windows.resting));
  EXPECT_NEAR(among.ratio, 1.1, 0.01);
  EXPECT_GT(among.low, 1.05);
  EXPECT_LT(among.high, 1.15);
}

TEST(DrillWindows, a_mood_that_falls_on_an_injection_is_not_the_injection) {
  // Slow for 4 s of every 18 s, whatever is injected.
  const StepWindows windows = step_windows(
      cycles_of(290, [](double s) { return std::fmod(s, 18) < 4 ? 17 : 10; }), injections(20));
  for (const auto& level : windows.injected) {
    const RatioRow among = among_windows({level->typical}, typical_of(windows.resting));
    EXPECT_LT(among.low, 1.001);
  }
}

TEST(DrillWindows, repeats_narrow_the_interval) {
  const std::vector<double> rests = {0.1, -0.1, 0, 0.2, -0.2, 0.1, -0.1, 0};
  const RatioRow once = among_windows({0.2}, rests);
  const RatioRow often = among_windows({0.2, 0.25, 0.15, 0.2}, rests);
  EXPECT_LT(once.low, 1);
  EXPECT_GT(often.low, 1);
  EXPECT_NEAR(often.ratio, std::exp(0.2), 1e-9);
}

TEST(DrillWindows, of_one_rest_nothing_is_known) {
  EXPECT_TRUE(std::isnan(among_windows({0.2, 0.3}, {0.1}).ratio));
  const RatioRow ratio{1.2, 1.1, 1.3};
  EXPECT_EQ(wider_of(ratio, RatioRow{}).low, 1.1);
}

TEST(DrillWindows, groups_are_graded_by_all_their_repeats) {
  std::vector<DrillRow> rows(4);
  StepWindows windows;
  windows.resting = {{0, 0}, {0.02, 0.02}, {-0.02, -0.02}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].injected.scenario = i % 2 == 0 ? "disk" : "cpu";
    rows[i].accepted = {i % 2 == 0 ? "disk" : "cpu_contention"};
    rows[i].verdict = i == 0 ? kUnknown : i == 2 ? kDisk : kCpuContention;
    rows[i].named = verdict_class_name(rows[i].verdict);
    rows[i].was_judged = true;
    const double level = i % 2 == 0 ? 0 : 0.4;
    windows.injected.push_back(StepLevel{level, level});
  }
  const std::vector<DrillGroup> groups = grade_groups(rows, windows);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].repeats, 2U);
  EXPECT_EQ(groups[0].named_rightly, 1U);
  EXPECT_EQ(groups[0].named, "unknown") << "one of two is not most of them";
  EXPECT_EQ(groups[1].slower, Slower::kYes);
  EXPECT_EQ(groups[1].grade, Grade::kRight);
  rows.pop_back();
  rows.erase(rows.begin());
  windows.injected.resize(2);
  EXPECT_TRUE(grade_groups(rows, windows).empty()) << "nothing was repeated";
}

TEST(DrillGrade, every_scenario_has_a_right_answer) {
  for (const char* scenario : {"cpu", "memory-bandwidth", "memory", "disk", "network", "stall",
                               "gpu-compute", "gpu-memory", "pcie", "nvlink"}) {
    EXPECT_FALSE(accepted_classes(scenario).empty()) << scenario;
  }
}

TEST(Drill, records_injects_and_writes_the_truth) {
  const fs::path folder = fs::path(::testing::TempDir()) / "tactus_drill";
  fs::remove_all(folder);
  const testing::Ended ended = testing::run_command(
      TACTUS_TOOL
      " drill -q --stop --scenarios network,nvlink --intensity 0.1 --seconds 1 --rest 1.5"
      " -o " +
      folder.string() + " -- " + testing::program("server") + " 100000000 5");
  EXPECT_EQ(ended.code, 128 + 15);  // --stop ended it
  std::ifstream file(folder / "drill.json");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Json report = Json::parse(text);
  ASSERT_EQ(report["rows"].size(), 2U) << text;
  // A link that is not there is not judged; it does not look like a pass.
  EXPECT_FALSE(report["rows"][1]["refused"].is_null());
  EXPECT_EQ(report["rows"][1]["grade"].get<std::string>(), "not judged");
  const auto run = open_run((folder / "drill.tact").string(), 1U);
  ASSERT_TRUE(run);
  if (report["rows"][0]["refused"].is_null()) {
    EXPECT_GT(report["rows"][0]["steps"].get<double>(), 0);
  }
  EXPECT_TRUE(fs::exists(folder / "drill.md"));
  // The recording holds all that it takes to grade it again.
  const std::vector<Injected> recorded = injected_in(*run);
  if (report["rows"][0]["refused"].is_null()) {
    ASSERT_EQ(recorded.size(), 2U);
    EXPECT_EQ(recorded[1].refused, report["rows"][1]["refused"].get<std::string>());
    EXPECT_EQ(recorded[0].scenario, "network");
    EXPECT_DOUBLE_EQ(recorded[0].intensity, 0.1);
    EXPECT_EQ(recorded[0].shape, "step");
    EXPECT_EQ(recorded[0].rest_s, 1.5);
    EXPECT_TRUE(recorded[0].cores);
    EXPECT_LE(recorded[0].asked_ns, recorded[0].begin_ns);
    EXPECT_LT(recorded[0].begin_ns, recorded[0].end_ns);
    const testing::Ended again = testing::run_command(TACTUS_TOOL " drill -q --json --grade " +
                                                      (folder / "drill.tact").string());
    EXPECT_EQ(again.code, 0);
    // The rests are as long as they were; all numbers are the same, and so is what was refused.
    EXPECT_EQ(Json::parse(again.out)["rows"], report["rows"]);
  } else {
    ASSERT_EQ(recorded.size(), 2U);
    EXPECT_FALSE(recorded[0].refused.empty());
  }
  fs::remove_all(folder);
}

TEST(Drill, says_what_to_grade_if_it_is_given_something_else) {
  const testing::Ended ended =
      testing::run_command("(" TACTUS_TOOL " drill --grade /etc/passwd 2>&1)");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.out.find("is not a .tact file"), std::string::npos) << ended.out;
}

TEST(Drill, does_not_overwrite_what_an_earlier_one_wrote) {
  for (const char* name : {"drill.tact", "drill.json", "drill.md"}) {
    const fs::path folder = fs::path(::testing::TempDir()) / "tactus_drill_again";
    fs::remove_all(folder);
    fs::create_directories(folder);
    std::ofstream(folder / name) << "mine";
    const testing::Ended ended =
        testing::run_command("(" TACTUS_TOOL " drill -q --scenarios cpu -o " + folder.string() +
                             " -- touch " + (folder / "ran").string() + " 2>&1)");
    EXPECT_EQ(ended.code, 2) << name << ended.out;
    EXPECT_NE(ended.out.find("--force"), std::string::npos) << ended.out;
    EXPECT_FALSE(fs::exists(folder / "ran")) << "it must be said before anything runs";
    fs::remove_all(folder);
  }
}

TEST(Drill, ends_with_the_code_of_its_command) {
  const fs::path folder = fs::path(::testing::TempDir()) / "tactus_drill_code";
  fs::remove_all(folder);
  const testing::Ended ended =
      testing::run_command(TACTUS_TOOL " drill -q --scenarios cpu -o " + folder.string() + " -- " +
                           testing::program("server") + " 10 5 eager proc 1 7");
  EXPECT_EQ(ended.code, 7);
  const testing::Ended missing =
      testing::run_command(TACTUS_TOOL " drill -q --force --scenarios cpu -o " + folder.string() +
                           " -- ./no-such-program");
  EXPECT_EQ(missing.code, 127);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tactus::drill
