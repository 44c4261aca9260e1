#include <gtest/gtest.h>

#include "kernels/table/model_table.h"

namespace tactus {
namespace {

using testing::kSeed001;
using testing::kSeed002;
using testing::NamedTable;
using testing::seed_table;
using testing::table_of;

std::vector<LaunchGroup> named(const std::vector<LaunchGroup>& groups, std::string_view name) {
  std::vector<LaunchGroup> found;
  for (const LaunchGroup& group : groups) {
    if (group.name == name) found.push_back(group);
  }
  return found;
}

NamedTable split_k_table(std::int64_t reduces) {
  NamedTable made;
  made.add("gemm_a_splitK", Family::kGemm, 10, 5'000).split_k = true;
  made.add("gemm_b_splitK", Family::kGemm, 30, 5'000).split_k = true;
  made.add("gemm_c", Family::kGemm, 100, 5'000);
  made.add("splitKreduce_kernel", Family::kSplitKReduce, reduces, 1'000);
  made.finish();
  return made;
}

TEST(TableGroups, join_split_gemms_and_their_reduce_where_counts_agree) {
  const auto groups = split_k_table(40).groups();
  ASSERT_EQ(groups.size(), 1U);
  const LaunchGroup& group = groups[0];
  EXPECT_EQ(group.name, "split-K GEMM");
  EXPECT_EQ(group.instances, 40);
  EXPECT_EQ(group.tail_absent, 0);
  EXPECT_EQ(group.total_ns, 40 * 6'000);
  ASSERT_EQ(group.members.size(), 2U);
  EXPECT_EQ(group.members[0].kernels, (std::vector<std::string>{"gemm_b_splitK", "gemm_a_splitK"}));
  EXPECT_TRUE(group.intercept_as_one);
  EXPECT_EQ(group.evidence, GroupEvidence::kCounts);
  ASSERT_TRUE(group.call);
  EXPECT_EQ(group.call->api, "cublasGemmEx");
  EXPECT_EQ(group.call->op, "aten::mm");
}

TEST(TableGroups, say_that_counts_do_not_agree) {
  const auto groups = split_k_table(41).groups();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].evidence, GroupEvidence::kRule);
  EXPECT_FALSE(groups[0].intercept_as_one);
  EXPECT_NE(groups[0].why.find("do not agree"), std::string::npos);
}

TEST(TableGroups, name_all_gemms_where_names_do_not_say_which_are_split) {
  NamedTable made = split_k_table(40);
  for (KernelName& name : made.names) name.split_k = false;
  const auto groups = made.groups();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].instances, 40);
  EXPECT_EQ(groups[0].members[0].kernels.size(), 3U);
  EXPECT_EQ(groups[0].evidence, GroupEvidence::kRule);
  EXPECT_TRUE(groups[0].intercept_as_one);
  EXPECT_NE(groups[0].why.find("do not say which"), std::string::npos);
}

TEST(TableGroups, have_optional_tails) {
  NamedTable made;
  made.add("flash_fwd_splitkv_kernel", Family::kAttention, 50, 5'000).kv_split = true;
  made.add("flash_fwd_splitkv_combine_kernel", Family::kAttentionCombine, 20, 1'000);
  made.finish();
  const auto groups = made.groups();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].tail_absent, 30);
  EXPECT_FALSE(groups[0].members[0].optional);
  EXPECT_TRUE(groups[0].members[1].optional);
  EXPECT_FALSE(groups[0].call);
}

TEST(TableGroups, pair_the_kernels_of_a_scan_by_type_and_count) {
  NamedTable made;
  made.add("DeviceScanInitKernel<ScanTileState<int, 1>>", Family::kScan, 5, 1'000);
  made.add("DeviceScanKernel<P, ScanTileState<long, 1>>", Family::kScan, 5, 1'000);
  made.add("DeviceScanKernel<P, ScanTileState<int, 1>>", Family::kScan, 5, 1'000);
  made.finish();
  const auto groups = made.groups();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members[1].kernels[0], "DeviceScanKernel<P, ScanTileState<int, 1>>");
  EXPECT_EQ(groups[0].call->api, "at::cuda::cub::inclusive_scan");
}

TEST(TableGroups, of_a_sort_have_a_sweep_for_each_digit) {
  NamedTable made;
  made.add("DeviceRadixSortHistogramKernel", Family::kOther, 3, 1'000);
  made.add("DeviceRadixSortExclusiveSumKernel", Family::kOther, 3, 1'000);
  made.add("DeviceRadixSortOnesweepKernel", Family::kOther, 12, 1'000);
  made.finish();
  const auto groups = made.groups();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members.size(), 3U);
  EXPECT_EQ(groups[0].instances, 3);
  EXPECT_TRUE(groups[0].intercept_as_one);
}

TEST(TableGroups, end_with_the_decoder_layer) {
  const auto groups = table_of({}).groups();
  ASSERT_FALSE(groups.empty());
  const LaunchGroup& layer = groups.back();
  EXPECT_EQ(layer.name, "decoder layer");
  EXPECT_EQ(layer.instances, 24 * 23);
  EXPECT_FALSE(layer.intercept_as_one);
  EXPECT_EQ(layer.evidence, GroupEvidence::kCounts);
  std::vector<std::string> first;
  for (const GroupMember& member : layer.members) first.push_back(member.kernels.front());
  EXPECT_EQ(first, (std::vector<std::string>{"add_norm", "decode_gemm", "rope", "kv",
                                             "split_attention", "decode_gemm", "add_norm",
                                             "decode_gemm", "silu", "decode_gemm"}));
}

TEST(TableGroups, of_a_table_without_structure_are_none) {
  EXPECT_TRUE(NamedTable{}.groups().empty());
  NamedTable made;
  made.add("x", Family::kElementwise, 3, 10);
  EXPECT_TRUE(made.groups().empty());
}

TEST(TableGroups, name_their_evidence) {
  EXPECT_EQ(group_evidence_name(GroupEvidence::kTrace), "trace");
  EXPECT_EQ(group_evidence_name(GroupEvidence::kCounts), "counts");
  EXPECT_EQ(group_evidence_name(GroupEvidence::kRule), "rule");
}

TEST(TableGroups, of_seed_001_answer_what_its_author_asks) {
  const auto seed = seed_table(kSeed001);
  if (!seed) GTEST_SKIP() << "the seeds are not here";
  const auto groups = seed->groups();

  const auto split_k = named(groups, "split-K GEMM");
  ASSERT_EQ(split_k.size(), 1U);
  EXPECT_EQ(split_k[0].instances, 2880);
  EXPECT_EQ(split_k[0].members[0].kernels.size(), 31U);
  EXPECT_TRUE(split_k[0].intercept_as_one);
  EXPECT_EQ(split_k[0].evidence, GroupEvidence::kCounts);
  EXPECT_EQ(split_k[0].call->api, "cublasGemmEx");

  const auto attention = named(groups, "attention");
  ASSERT_EQ(attention.size(), 1U);
  EXPECT_EQ(attention[0].instances, 2368);
  EXPECT_EQ(attention[0].tail_absent, 64);
  ASSERT_EQ(attention[0].members.size(), 3U);
  EXPECT_TRUE(attention[0].members[2].optional);
  EXPECT_EQ(attention[0].call->api, "torch.ops.sgl_kernel.fwd");
  EXPECT_EQ(attention[0].call->python, "flash_attn_with_kvcache");

  const auto scans = named(groups, "inclusive scan");
  ASSERT_EQ(scans.size(), 2U);
  EXPECT_EQ(scans[0].instances, 68);
  EXPECT_EQ(scans[1].instances, 2);
  EXPECT_EQ(groups.back().instances, 2368);
}

TEST(TableGroups, of_seed_002_do_not_say_more_than_its_names) {
  const auto seed = seed_table(kSeed002);
  if (!seed) GTEST_SKIP() << "the seeds are not here";
  const auto groups = seed->groups();
  const auto split_k = named(groups, "split-K GEMM");
  ASSERT_EQ(split_k.size(), 1U);
  EXPECT_EQ(split_k[0].instances, 2240);
  EXPECT_EQ(split_k[0].members[0].kernels.size(), 9U);
  EXPECT_EQ(split_k[0].evidence, GroupEvidence::kRule);
  const auto attention = named(groups, "attention");
  ASSERT_EQ(attention.size(), 1U);
  EXPECT_EQ(attention[0].instances, 1472);
  EXPECT_EQ(attention[0].tail_absent, 960);
  const auto scans = named(groups, "inclusive scan");
  ASSERT_EQ(scans.size(), 1U);
  EXPECT_EQ(scans[0].instances, 44);
  EXPECT_EQ(groups.back().instances, 1536);
}

}  // namespace
}  // namespace tactus
