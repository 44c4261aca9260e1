// None of the cheats of candidates/cheats.cpp, cheats_outside.cpp and cheats_inside.cpp may be ok.
#include <gtest/gtest.h>

#include "bench/measured.h"

namespace tactus::testing {
namespace {

BenchRow row_of(const std::string& library, const std::string& name, std::int64_t tokens) {
  const Candidate candidate = face_of(library, name);
  MeasureOptions options = test_options();
  options.patience_s = 2;
  options.threads = 2;
  options.stop = {.at_least = 60, .at_most = 240, .rounds = 30, .tight = 0.01, .seconds = 0.5};
  if (name == "right_for_199_calls") {
    options.stop = {.at_least = 300, .at_most = 400, .rounds = 12, .tight = 0, .seconds = 10};
  }
  const bool copies = name.find("copy") != std::string::npos;
  const BenchRow row =
      copies ? measured(candidate, "copy", {{"read_bytes", 1024 * tokens}}, options)
             : measured(candidate, "rms_norm", {{"tokens", tokens}, {"hidden", 512}}, options);
  std::filesystem::remove(candidate.path);
  return row;
}

void expect_caught(const BenchRow& row) {
  EXPECT_NE(bench_status_name(row.status), "ok");
  EXPECT_NE(bench_status_name(row.status), "skipped") << row.reason;
  EXPECT_NE(row.reason, "");
  EXPECT_FALSE(row.t_ns) << "what failed has no time";
}

class Cheats : public ::testing::TestWithParam<std::string> {};

TEST_P(Cheats, are_not_ok) {
  expect_caught(row_of("cheats", GetParam(), 400));
}

INSTANTIATE_TEST_SUITE_P(All, Cheats, ::testing::ValuesIn(faces_of("cheats", false)),
                         [](const auto& param) { return param.param; });

class CheatsOutside : public ::testing::TestWithParam<std::string> {};

TEST_P(CheatsOutside, are_not_ok) {
  // Processor time outside of calls is seen if it is more than what requests differ by; that of
  // threads between calls also if calls are short.
  const bool short_calls = GetParam() == "warms_the_caches";
  expect_caught(row_of("cheats_outside", GetParam(), short_calls ? 400 : 8000));
}

INSTANTIATE_TEST_SUITE_P(All, CheatsOutside, ::testing::ValuesIn(faces_of("cheats_outside", false)),
                         [](const auto& param) { return param.param; });

class CheatsInside : public ::testing::TestWithParam<std::string> {};

TEST_P(CheatsInside, are_not_ok) {
  // So short that what is hidden is lost in the noise of a request.
  expect_caught(row_of("cheats_inside", GetParam(), 40));
}

INSTANTIATE_TEST_SUITE_P(All, CheatsInside, ::testing::ValuesIn(faces_of("cheats_inside", false)),
                         [](const auto& param) { return param.param; });

TEST(CheatsThatKnowEarlierInputs, find_nothing_that_they_know) {
  MeasureOptions options = test_options();
  options.stop = {.at_least = 24, .at_most = 48, .rounds = 6, .tight = 0.01, .seconds = 0.5};
  const Candidate candidate = test_candidate("knows_earlier_inputs");
  expect_caught(measured(candidate, "moe_count_and_sort",
                         {{"tokens", 512}, {"top_k", 8}, {"experts", 64}}, options));
  expect_caught(measured(candidate, "layer_norm", {{"tokens", 64}, {"hidden", 256}}, options));
  expect_caught(measured(candidate, "rms_norm", {{"tokens", 100}, {"hidden", 500}}, options));
}

TEST(CheatsThatGainNothing, are_timed_with_what_they_do_besides) {
  for (const std::string& name : faces_of("cheats", true)) {
    const BenchRow row = row_of("cheats", name, 400);
    EXPECT_EQ(bench_status_name(row.status), "ok") << name << ": " << row.reason;
    if (name == "gains_nothing_by_its_own_clock") {
      EXPECT_GE(row.t_ns.value_or(0), 2e6) << "it sleeps that long";
    }
  }
  for (const std::string& name : faces_of("cheats_outside", true)) {
    const BenchRow row = row_of("cheats_outside", name, 400);
    EXPECT_EQ(bench_status_name(row.status), "ok") << name << ": " << row.reason;
  }
}

TEST(CheatsThatGainNothing, by_what_they_say_about_the_worker) {
  for (const std::string& name : faces_of("cheats_inside", true)) {
    const BenchRow row = row_of("cheats_inside", name, 400);
    EXPECT_EQ(bench_status_name(row.status), "ok") << name << ": " << row.reason;
    EXPECT_GE(row.t_ns.value_or(0), 1e4) << name << ": the work takes longer than that";
    EXPECT_LT(row.launch_floor_ns.value_or(0), 1e8) << name << ": it says that";
    EXPECT_EQ(row.throttled, 0) << name;
  }
}

TEST(CheatsThatGainNothing, are_few) {
  EXPECT_GE(faces_of("cheats", false).size(), 50U);
  EXPECT_GE(faces_of("cheats_inside", false).size(), 8U);
}

}  // namespace
}  // namespace tactus::testing
