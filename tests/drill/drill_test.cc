#include "drill/drill.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
