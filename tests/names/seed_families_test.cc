// The two seed profiles, family by family: time, launches and rows.
#include <gtest/gtest.h>

#include <array>

#include "names/kernel_name.h"
#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

struct FamilyShare {
  Family family;
  double ms;
  double tolerance_ms;  ///< half of the last digit that the table shows
  std::int64_t launches;
  std::int64_t rows;
};

struct Sum {
  std::int64_t ns = 0;
  std::int64_t launches = 0;
  std::int64_t rows = 0;
};

std::optional<KernelTable> read_seed(const std::string& name) {
  const std::optional<std::string> path = testing::shared_file("seeds/" + name);
  if (!path) return {};
  NoProgress progress;
  Result<Imported> imported = import_run({.inputs = {*path}}, progress);
  if (!imported) {
    ADD_FAILURE() << imported.error().message;
    return {};
  }
  return imported->run.kernel_summary;
}

void expect_shares(const KernelTable& table, std::span<const FamilyShare> shares) {
  std::array<Sum, kFamilies> sums{};
  for (const KernelRow& row : table.rows) {
    Sum& sum = sums[static_cast<std::size_t>(decode_kernel_name(row.name).family)];
    sum.ns += row.total_ns;
    sum.launches += row.instances;
    ++sum.rows;
  }
  std::int64_t rows = 0;
  for (const FamilyShare& share : shares) {
    const Sum& sum = sums[static_cast<std::size_t>(share.family)];
    SCOPED_TRACE(family_name(share.family));
    EXPECT_NEAR(static_cast<double>(sum.ns) / 1e6, share.ms, share.tolerance_ms);
    EXPECT_EQ(sum.launches, share.launches);
    EXPECT_EQ(sum.rows, share.rows);
    rows += share.rows;
  }
  EXPECT_EQ(rows, static_cast<std::int64_t>(table.rows.size())) << "families beside those";
}

TEST(SeedFamilies, of_the_first_profile_are_those_of_its_table) {
  const std::optional<KernelTable> table = read_seed("001_9d4567749f1494f6.txt");
  if (!table) GTEST_SKIP() << "the seeds are not here";
  constexpr auto kShares = std::to_array<FamilyShare>({
      {Family::kGemm, 1791.5, 0.051, 9547, 137},
      {Family::kGemv, 0, 0, 0, 0},
      {Family::kSplitKReduce, 11.5, 0.051, 2880, 1},
      {Family::kAttention, 133.7, 0.051, 2368, 2},
      {Family::kAttentionPrepare, 12.2, 0.051, 2368, 5},
      {Family::kAttentionCombine, 4.6, 0.051, 2304, 1},
      {Family::kActivation, 66.3, 0.051, 2368, 1},
      {Family::kNorm, 55.2, 0.051, 4810, 2},
      {Family::kKvWrite, 48.2, 0.051, 4766, 2},
      {Family::kFill, 39.4, 0.051, 295, 7},
      {Family::kCopy, 36.4, 0.051, 2603, 9},
      {Family::kRope, 20.1, 0.051, 2368, 2},
      {Family::kSampling, 1.4, 0.051, 32, 1},
      {Family::kGather, 0.7, 0.051, 108, 3},
      {Family::kElementwise, 0.4, 0.051, 190, 19},
      {Family::kScan, 0.2, 0.051, 140, 4},
      {Family::kReduce, 0.2, 0.051, 73, 2},
      {Family::kBookkeeping, 0.06, 0.0051, 34, 3},
  });
  expect_shares(*table, kShares);
}

TEST(SeedFamilies, of_the_second_profile_are_those_of_its_table) {
  const std::optional<KernelTable> table = read_seed("002_f016f53a8cb403b0.txt");
  if (!table) GTEST_SKIP() << "the seeds are not here";
  constexpr auto kShares = std::to_array<FamilyShare>({
      {Family::kGemm, 8894.7, 0.051, 5935, 10},
      {Family::kGemv, 41.0, 0.051, 258, 2},
      {Family::kSplitKReduce, 5.7, 0.051, 2240, 1},
      {Family::kAttention, 304.5, 0.051, 1536, 2},
      {Family::kAttentionPrepare, 0.1, 0.051, 40, 1},
      {Family::kAttentionCombine, 0.9, 0.051, 512, 1},
      {Family::kActivation, 272.6, 0.051, 1536, 1},
      {Family::kNorm, 211.6, 0.051, 3120, 2},
      {Family::kKvWrite, 37.5, 0.051, 3102, 2},
      {Family::kFill, 34.5, 0.051, 172, 8},
      {Family::kCopy, 57.6, 0.051, 1625, 6},
      {Family::kRope, 73.4, 0.051, 1536, 2},
      {Family::kSampling, 0.8, 0.051, 32, 1},
      {Family::kGather, 1.1, 0.051, 50, 2},
      {Family::kElementwise, 0.2, 0.051, 102, 19},
      {Family::kScan, 0.1, 0.051, 88, 2},
      {Family::kReduce, 0.04, 0.0051, 19, 1},
      {Family::kBookkeeping, 0.05, 0.0051, 34, 3},
  });
  expect_shares(*table, kShares);
}

}  // namespace
}  // namespace tactus
