#include "measure/taking_turns.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

constexpr auto kCode = static_cast<std::size_t>(Part::kHostCode);
constexpr auto kWaiting = static_cast<std::size_t>(Part::kOtherRanks);

/// Two ranks, ten steps of 100 ns: each computes for 40 ns, the second after `shift_ns`.
struct Stages {
  explicit Stages(std::int64_t shift_ns) : work(2), ranks(2) {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      ranks[rank].parts[kCode].assign(10, 60);
      for (std::int64_t step = 0; step < 10; ++step) {
        const std::int64_t start = 100 * step;
        ranks[rank].steps.push_back({.start_ns = start, .end_ns = start + 100, .ns = 100});
        const std::int64_t at = start + static_cast<std::int64_t>(rank) * shift_ns;
        work[rank].pieces.push_back(
            {.start_ns = at, .end_ns = at + 40, .part = part_of(Family::kGemm)});
      }
    }
  }
  std::vector<RankWork> work;
  std::vector<RankMeasure> ranks;
};

TEST(TakingTurns, stages_of_a_pipeline_wait_for_each_other) {
  Stages stages(50);
  split_turns(stages.work, stages.ranks);
  for (const RankMeasure& rank : stages.ranks) {
    EXPECT_EQ(rank.parts[kWaiting], std::vector<double>(10, 40));
    EXPECT_EQ(rank.parts[kCode], std::vector<double>(10, 20));
  }
}

TEST(TakingTurns, ranks_that_compute_at_the_same_time_do_not) {
  Stages stages(10);
  split_turns(stages.work, stages.ranks);
  for (const RankMeasure& rank : stages.ranks) {
    EXPECT_TRUE(rank.parts[kWaiting].empty());
    EXPECT_EQ(rank.parts[kCode], std::vector<double>(10, 60));
  }
}

/// 2% of the time each: by chance they overlap in 0.04% of it.
TEST(TakingTurns, ranks_that_compute_little_overlap_little_whatever_they_do) {
  Stages stages(0);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    stages.work[rank].pieces.clear();
    for (std::int64_t step = 0; step < 10; ++step) {
      // At places that have nothing to do with each other: they meet in one step of ten.
      const std::int64_t at = 100 * step + (rank == 0 ? 30 : step == 4 ? 30 : 60);
      stages.work[rank].pieces.push_back(
          {.start_ns = at, .end_ns = at + 2, .part = part_of(Family::kGemm)});
    }
  }
  stages.work[1].pieces[4].start_ns += 1;
  split_turns(stages.work, stages.ranks);
  for (const RankMeasure& rank : stages.ranks) EXPECT_TRUE(rank.parts[kWaiting].empty());
}

}  // namespace
}  // namespace tactus
