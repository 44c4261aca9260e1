#include "cycles/passes/loop_passes.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(LoopPasses, of_one_rank_say_how_often_a_step_can_come_not_those_of_the_job) {
  LoopPasses job;
  for (int rank = 0; rank < 8; ++rank) {
    job.marks.push_back({{0, 10, false}, {10, 20, true}, {20, 30, true}});
  }
  job.marks[3].push_back({30, 40, true});
  EXPECT_EQ(job.count(), 25u);
  EXPECT_EQ(job.whole_count(), 17u);
  EXPECT_EQ(job.most_whole(), 3u);
  EXPECT_EQ(LoopPasses().most_whole(), 0u);
}

}  // namespace
}  // namespace tactus
