// None of the cheats of candidates/cheats.cpp may be ok.
#include <gtest/gtest.h>

#include "bench/measured.h"

namespace tactus::testing {
namespace {

BenchRow row_of(const std::string& name) {
  const Candidate candidate = face_of("cheats", name);
  MeasureOptions options = test_options();
  options.patience_s = 2;
  options.threads = 2;
  options.stop = {.at_least = 60, .at_most = 240, .rounds = 30, .tight = 0.01, .seconds = 0.5};
  if (name == "right_for_199_calls") {
    options.stop = {.at_least = 300, .at_most = 400, .rounds = 12, .tight = 0, .seconds = 10};
  }
  const BenchRow row = measured(candidate, "rms_norm", {{"tokens", 400}, {"hidden", 512}}, options);
  std::filesystem::remove(candidate.path);
  return row;
}

class Cheats : public ::testing::TestWithParam<std::string> {};

TEST_P(Cheats, are_not_ok) {
  const BenchRow row = row_of(GetParam());
  EXPECT_NE(bench_status_name(row.status), "ok");
  EXPECT_NE(bench_status_name(row.status), "skipped") << row.reason;
  EXPECT_NE(row.reason, "");
  EXPECT_FALSE(row.t_ns) << "what failed has no time";
}

INSTANTIATE_TEST_SUITE_P(All, Cheats, ::testing::ValuesIn(faces_of("cheats", false)),
                         [](const auto& param) { return param.param; });

TEST(CheatsThatGainNothing, are_timed_with_what_they_do_besides) {
  for (const std::string& name : faces_of("cheats", true)) {
    const BenchRow row = row_of(name);
    EXPECT_EQ(bench_status_name(row.status), "ok") << name << ": " << row.reason;
    if (name == "gains_nothing_by_its_own_clock") {
      EXPECT_GE(row.t_ns.value_or(0), 2e6) << "it sleeps that long";
    }
  }
}

TEST(CheatsThatGainNothing, are_few) {
  EXPECT_GE(faces_of("cheats", false).size(), 50U);
}

}  // namespace
}  // namespace tactus::testing
