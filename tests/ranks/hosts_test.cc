// Jobs of several hosts, from their traces to the report: clocks, collectives, stragglers.
#include <gtest/gtest.h>

#include <cstdio>

#include "ranks/rank_report.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/job_of_hosts.h"

namespace tactus {
namespace {

using testing::HostJob;
using testing::RankDoings;

NoProgress no_progress;

Imported import_job(const HostJob& job, const std::vector<RankDoings>& all) {
  const testing::TemporaryFolder folder;
  ImportRequest request;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    request.inputs.push_back(folder.write("rank" + std::to_string(rank) + ".json",
                                          recorded_trace(job, all[rank], rank)));
  }
  Result<Imported> imported = open_or_import(request, no_progress);
  EXPECT_TRUE(imported) << imported.error().message;
  return std::move(*imported);
}

RankReport report_of(const Run& run) {
  const Result<Cycles> cycles = find_cycles(run, {});
  EXPECT_TRUE(cycles);
  return report_ranks(run, *cycles);
}

/// How wrong the clock of a rank is at the first and the last collective of the job.
double largest_error_us(const HostJob& job, const RankDoings& rank, const Run& run,
                        std::size_t number) {
  const Source& source = run.sources[number];
  const std::int64_t base_ns = source.base_ns - run.origin_ns;
  double largest = 0;
  for (const double at_us :
       {rank.steps.front().parts.front().leaves_us, rank.steps.back().parts.back().leaves_us}) {
    const auto ns = [&](double us) { return base_ns + std::llround(1000 * us); };
    const std::int64_t mapped = source.clock.to_run(ns(shown_us(job.hosts[number], at_us)));
    largest = std::max(largest, std::abs(static_cast<double>(mapped - ns(at_us)) / 1000));
  }
  return largest;
}

TEST(Hosts, have_their_clocks_aligned_and_all_collectives_matched) {
  int jobs = 0;
  int all_matched = 0;
  for (unsigned seed = 0; seed < testing::seeds(10); ++seed) {
    const HostJob job = testing::random_job(seed, true);
    const std::vector<RankDoings> all = play(job);
    const Imported imported = import_job(job, all);
    EXPECT_TRUE(imported.run.warnings.empty()) << seed << imported.run.warnings.front();
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      const Clock& clock = imported.run.sources[rank].clock;
      EXPECT_LT(largest_error_us(job, all[rank], imported.run, rank), 5)
          << seed << " rank " << rank;
      EXPECT_EQ(clock.points, static_cast<std::uint64_t>(job.collectives()));
    }
    const RankReport report = report_of(imported.run);
    ++jobs;
    if (report.unmatched == 0 && report.matched == job.collectives()) ++all_matched;
    EXPECT_EQ(report.unmatched, 0) << seed << " of " << job.collectives();
    EXPECT_EQ(report.matched, job.collectives()) << seed;
  }
  std::printf("%d jobs, in %d all collectives are matched\n", jobs, all_matched);
}

TEST(Hosts, that_recorded_other_parts_are_aligned_too) {
  for (unsigned seed = 0; seed < testing::seeds(10); ++seed) {
    const HostJob job = testing::random_job(seed, false);
    const std::vector<RankDoings> all = play(job);
    const Imported imported = import_job(job, all);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      if (!imported.run.warnings.empty()) continue;
      EXPECT_LT(largest_error_us(job, all[rank], imported.run, rank), 5)
          << seed << " rank " << rank;
    }
  }
}

}  // namespace
}  // namespace tactus
