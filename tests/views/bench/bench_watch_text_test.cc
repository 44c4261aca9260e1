#include <gtest/gtest.h>

#include "support/sample_bench.h"
#include "views/bench/bench_view.h"

namespace tactus::testing {
namespace {

TEST(BenchWatchText, says_what_changed_since_the_last_times) {
  WatchedBefore before;
  BenchResult first;
  first.rows = {timed_row("rms_norm", "1", 4000, 40), timed_row("rms_norm", "2", 8e6, 4e6)};
  before.timed = first;
  before.last.rows = {first.rows[0], first.rows[1]};
  before.last.rows[1].status = BenchStatus::kBuildFailed;
  BenchResult now;
  now.rows = {timed_row("rms_norm", "1", 4000, 40), timed_row("rms_norm", "2", 4e6, 4e6),
              skipped_row("gemm", "0")};
  const std::string text = bench_watch_text(now, before, 160);
  EXPECT_NE(text.find("was build_failed; FASTER, was 8.000 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("1 FASTER"), std::string::npos) << text;
  EXPECT_EQ(text.find("gemm"), std::string::npos) << "skipped ones are only counted";
  EXPECT_NE(text.find("1 skipped"), std::string::npos);
}

TEST(BenchWatchText, explains_what_is_wrong) {
  BenchResult now;
  now.rows = {timed_row("rms_norm", "1", 4000, 40)};
  now.rows[0].status = BenchStatus::kWrong;
  now.rows[0].failure = {.checked = 8,
                         .wrong = 1,
                         .first = {{.output = "out",
                                    .indices = {3, 17},
                                    .got = 0.5,
                                    .expected = 0.75,
                                    .allowed = "within 1 ulp of bf16"}},
                         .inputs = {},
                         .pattern = {"only in row 3"},
                         .mistakes = {{"wrong_epsilon", "as if eps were\x1b[31m 1e-05"}}};
  const std::string text = bench_watch_text(now, {}, 160);
  EXPECT_NE(text.find("out[3, 17] is 0.5, should be 0.75 (within 1 ulp of bf16)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("only in row 3"), std::string::npos);
  EXPECT_NE(text.find("(wrong_epsilon)"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tactus::testing
