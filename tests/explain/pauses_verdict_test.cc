// Time between steps, of which nothing tells what it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;
using ::testing::HasSubstr;

constexpr auto kDecode = static_cast<std::size_t>(Phase::kDecode);

TEST(Pauses, that_became_longer_stand_against_none) {
  ComparedSide sides[2] = {RunMaker(1).make(), RunMaker(2).make()};
  EXPECT_EQ(compare(sides[0], sides[1]).verdict.verdict, VerdictClass::kNone);
  // 40 steps of 15 ms.
  sides[1].recordings.front()->ranks.front().pause_ns[kDecode] = 40 * 3e6;
  const Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown);
  EXPECT_EQ(comparison.verdict.reason, "pauses");
  EXPECT_THAT(comparison.verdict.text, HasSubstr("pauses for 3 ms per step instead of 0 ms"));
  EXPECT_EQ(comparison.change->by_phase[0].pause_ns[1], 3e6);
}

TEST(Pauses, that_became_shorter_do_not) {
  ComparedSide sides[2] = {RunMaker(1).make(), RunMaker(2).make()};
  sides[0].recordings.front()->ranks.front().pause_ns[kDecode] = 40 * 3e6;
  EXPECT_EQ(compare(sides[0], sides[1]).verdict.verdict, VerdictClass::kNone);
}

TEST(Pauses, that_hide_the_end_of_some_steps_leave_another_mix_of_steps) {
  RunMaker faster(2);
  faster.steps().kernels_times(0.5);
  ComparedSide sides[2] = {RunMaker(1).make(), faster.make()};
  EXPECT_EQ(compare(sides[0], sides[1]).verdict.felt, FeltAs::kFaster);
  sides[1].recordings.front()->ranks.front().cut_off[kDecode] = 20;
  const Comparison comparison = compare(sides[0], sides[1]);
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kUnknown);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown) << comparison.verdict.text;
  EXPECT_TRUE(std::isnan(comparison.change->low));
}

TEST(Pauses, none_is_about_the_slowest_of_many_steps_too) {
  RunMaker a(1);
  RunMaker b(2);
  a.steps().count = b.steps().count = 320;
  b.stretch = [](Part part, std::size_t step) {
    return part == Part::kHostCode && step % 100 == 7 ? 7.0 : 1.0;
  };
  const Comparison comparison = made::compare(a, b);
  EXPECT_NE(comparison.verdict.verdict, VerdictClass::kNone) << comparison.verdict.text;
}

TEST(Pauses, a_few_stalls_of_both_runs_leave_their_slowest_steps_open) {
  RunMaker runs[2] = {RunMaker(1), RunMaker(2)};
  for (RunMaker& run : runs) {
    run.steps().count = 400;
    run.stretch = [&](Part part, std::size_t step) {
      const bool stalls = step % 130 == (&run == &runs[0] ? 7U : 5U);  // 4 of 400
      return part == Part::kHostCode && stalls ? 2.0 + static_cast<double>(step) / 200 : 1.0;
    };
  }
  const Comparison comparison = made::compare(runs[0], runs[1]);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kNone) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.confidence, Confidence::kMedium);
  EXPECT_EQ(comparison.verdict.reason, "open_tail");
  EXPECT_NE(comparison.verdict.text.find("the slowest 1% of its decode steps are too few to judge"),
            std::string::npos)
      << comparison.verdict.text;
}

}  // namespace
}  // namespace tactus
