#include "sources/align_clocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

using testing::TemporaryFolder;

NoProgress no_progress;

struct RankClock {
  double offset_us = 0;  ///< what its clock shows more than that of rank 0
  double drift = 0;
  int first = 0;  ///< its recording starts with this collective
  bool with_numbers = true;
  std::string group = "0";
};

/// The same collectives as a rank recorded them: they begin when the rank comes, and end together
/// within a microsecond.
std::string trace(int rank, const RankClock& clock, int collectives) {
  std::mt19937 shared(1);
  std::mt19937 own(100 + static_cast<unsigned>(rank));
  std::string events;
  double at = 1000;
  for (int i = 0; i < collectives; ++i) {
    at += 300 + static_cast<double>(shared() % 200);
    const double end = at + static_cast<double>(own() % 1000) / 1000.0;
    const double wait = 5 + static_cast<double>(own() % 100);
    if (i < clock.first) continue;
    const double shown = end + clock.offset_us + clock.drift * end;
    const std::string sequence = clock.with_numbers ? R"(,"Seq":)" + std::to_string(i) : "";
    if (!events.empty()) events += ",";
    events += R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_bf16_RING_LL",)"
              R"("pid":0,"tid":7,"ts":)" +
              std::to_string(shown - wait) + R"(,"dur":)" + std::to_string(wait) +
              R"(,"args":{"device":0,"stream":7,"Process Group Name":")" + clock.group + "\"" +
              sequence + "}}";
  }
  return R"({"distributedInfo":{"rank":)" + std::to_string(rank) +
         R"(,"world_size":8},"baseTimeNanoseconds":1790857026000000000,"traceEvents":[)" + events +
         "]}";
}

Result<Imported> import_ranks(const std::vector<RankClock>& clocks, Alignment align,
                              int collectives = 200, const std::vector<std::string>& hosts = {}) {
  const TemporaryFolder folder;
  ImportRequest request;
  for (int rank = 0; rank < static_cast<int>(clocks.size()); ++rank) {
    request.inputs.push_back(
        folder.write("rank" + std::to_string(rank) + ".json",
                     trace(rank, clocks[static_cast<std::size_t>(rank)], collectives)));
  }
  request.hosts = hosts;
  request.align = align;
  return import_run(request, no_progress);
}

double offset_us(const Imported& job, std::size_t rank) {
  return static_cast<double>(job.run.sources[rank].clock.offset_ns) / 1000;
}

TEST(AlignClocks, by_the_ends_of_collectives) {
  const auto job = import_ranks({{}, {.offset_us = 5000}, {.offset_us = -123.5}}, Alignment::kAuto);
  ASSERT_TRUE(job);
  EXPECT_NEAR(offset_us(*job, 1), -5000, 1);
  EXPECT_NEAR(offset_us(*job, 2), 123.5, 1);
  EXPECT_EQ(job->run.sources[1].clock.points, 200U);
  EXPECT_LT(*job->run.sources[1].clock.residual_ns, 1000);
  EXPECT_FALSE(job->run.sources[0].clock.changes_times());
}

TEST(AlignClocks, without_sequence_numbers_and_with_another_start) {
  const auto job = import_ranks({{.first = 3, .with_numbers = false},
                                 {.offset_us = 40'000, .first = 20, .with_numbers = false}},
                                Alignment::kAuto);
  ASSERT_TRUE(job);
  EXPECT_NEAR(offset_us(*job, 1), -40'000, 1);
  EXPECT_EQ(job->run.sources[1].clock.points, 180U);
}

TEST(AlignClocks, finds_a_drift) {
  const auto job =
      import_ranks({{}, {.offset_us = 100, .drift = 1e-4}}, Alignment::kCollectives, 2000);
  ASSERT_TRUE(job);
  const Clock& clock = job->run.sources[1].clock;
  EXPECT_NEAR(clock.drift, -1e-4, 3e-6);
  EXPECT_LT(*clock.residual_ns, 1000);
}

TEST(AlignClocks, leaves_ranks_of_one_host_and_clocks_that_agree_alone) {
  const auto same_host = import_ranks({{}, {.offset_us = 50}}, Alignment::kAuto, 200, {"node-a"});
  ASSERT_TRUE(same_host);
  EXPECT_FALSE(same_host->run.sources[1].clock.changes_times());
  EXPECT_EQ(same_host->run.sources[1].clock.points, 200U);
  const auto agree = import_ranks({{}, {}}, Alignment::kAuto);
  EXPECT_FALSE(agree->run.sources[1].clock.changes_times());
  const auto none = import_ranks({{}, {.offset_us = 5000}}, Alignment::kNone);
  EXPECT_FALSE(none->run.sources[1].clock.changes_times());
}

TEST(AlignClocks, needs_collectives_of_one_group) {
  const auto job =
      import_ranks({{.group = "a"}, {.offset_us = 700, .group = "b"}}, Alignment::kAuto);
  ASSERT_TRUE(job);
  EXPECT_FALSE(job->run.sources[1].clock.changes_times());
  const auto refused =
      import_ranks({{.group = "a"}, {.offset_us = 700, .group = "b"}}, Alignment::kCollectives);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("--align none"), std::string::npos);
}

}  // namespace
}  // namespace tactus
