#include "sources/pair_sequences.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "support/job_of_hosts.h"

namespace tactus {
namespace {

using testing::HostJob;
using testing::HostRecording;
using testing::RankDoings;
using testing::seeds;

std::vector<Moment> moments(const std::vector<std::int64_t>& ends) {
  std::vector<Moment> all;
  for (const std::int64_t end : ends) all.push_back({.key = 0, .at_ns = end});
  return all;
}

std::optional<Pairing> pairing(const HostJob& job, std::size_t rank) {
  const std::vector<RankDoings> all = play(job);
  return pair_sequences(moments(recorded_ends(job, all[0], job.hosts[0])),
                        moments(recorded_ends(job, all[rank], job.hosts[rank])));
}

TEST(PairSequences, of_recordings_of_the_same_part_pairs_the_kth_with_the_kth) {
  for (unsigned seed = 0; seed < seeds(50); ++seed) {
    const HostJob job = testing::random_job(seed, true);
    for (std::size_t rank = 1; rank < job.hosts.size(); ++rank) {
      const auto found = pairing(job, rank);
      ASSERT_TRUE(found) << seed;
      EXPECT_EQ(found->shift, 0) << seed << " rank " << rank;
      EXPECT_EQ(found->ways, 1u) << seed << " rank " << rank;
    }
  }
}

/// Steps that are alike to the nanosecond fit in many ways; that must be said then.
TEST(PairSequences, of_recordings_of_different_parts_finds_the_shift_or_says_that_many_fit) {
  int pairs = 0;
  int right = 0;
  int decided = 0;
  for (unsigned seed = 0; seed < seeds(50); ++seed) {
    const HostJob job = testing::random_job(seed, false);
    for (std::size_t rank = 1; rank < job.hosts.size(); ++rank) {
      const HostRecording& mine = job.hosts[rank];
      const HostRecording& other = job.hosts[0];
      if (mine.first_collective + mine.missing_at_end ==
          other.first_collective + other.missing_at_end) {
        continue;  // as many by chance
      }
      const auto found = pairing(job, rank);
      ASSERT_TRUE(found) << seed;
      const int truth = job.hosts[rank].first_collective - job.hosts[0].first_collective;
      ++pairs;
      if (found->shift == truth) ++right;
      if (found->ways == 1) {
        ++decided;
        EXPECT_EQ(found->shift, truth) << seed << " rank " << rank;
      }
    }
  }
  std::printf("%d pairs: %d decided, %d right\n", pairs, decided, right);
  EXPECT_GT(2 * decided, pairs);
}

/// Steps of one collective, all alike, cut differently: the clocks decide, and it is said.
TEST(PairSequences, takes_the_nearest_by_the_clocks_of_those_that_fit) {
  HostJob job{.layers = 1, .steps = 40, .noise = 0, .exit_us = 0};
  job.hosts[1] = HostRecording{.offset_us = 30, .first_collective = 6};
  const auto found = pairing(job, 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->shift, 6);
  EXPECT_GT(found->ways, 1u);
  EXPECT_GT(found->apart_ns, 100'000);
}

TEST(PairSequences, tells_kinds_of_collectives_apart) {
  std::vector<Moment> a;
  for (int i = 0; i < 40; ++i) {
    a.push_back({.key = i % 10 == 0 ? 1u : 0u, .at_ns = 1000 * i});
  }
  const std::vector<Moment> b(a.begin() + 3, a.begin() + 23);
  const auto found = pair_sequences(a, b);
  ASSERT_TRUE(found);
  EXPECT_EQ((found->shift - 3) % 10, 0);
}

TEST(PairSequences, needs_a_few_that_are_the_same) {
  EXPECT_FALSE(pair_sequences({}, {}));
  EXPECT_FALSE(pair_sequences(moments({1, 2, 3, 4}), moments({1, 2, 3, 4})));
  std::vector<Moment> others = moments({10, 20, 30, 40, 50, 60});
  for (Moment& moment : others) moment.key = 1;
  EXPECT_FALSE(pair_sequences(moments({10, 20, 30, 40, 50, 60}), others));
}

/// A clock that ticks, an end that came late by chance, one collective more: nothing of it moves
/// the whole.
TEST(PairSequences, is_not_led_astray_by_one_late_end) {
  HostJob job{.layers = 4, .steps = 12, .noise = 0.05};
  job.hosts[1].offset_us = -5000;
  const std::vector<RankDoings> all = play(job);
  const auto a = moments(recorded_ends(job, all[0], job.hosts[0]));
  auto b = moments(recorded_ends(job, all[1], job.hosts[1]));
  b[b.size() - 3].at_ns += 40'000;
  EXPECT_EQ(pair_sequences(a, b)->shift, 0);
  b.pop_back();
  EXPECT_EQ(pair_sequences(a, b)->shift, 0);
}

}  // namespace
}  // namespace tactus
