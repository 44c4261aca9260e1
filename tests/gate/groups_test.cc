// Which kernels the gate lets pass because they follow others, and how it knows them again.
#include "gate/groups.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/json.h"
#include "gate/replay/launch_trace.h"
#include "record/agent/gate/kernel_word.h"
#include "record/recorded_program.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::gate {
namespace {

constexpr const char* kGemm =
    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>>>(T1)";
constexpr const char* kMangledGemm =
    "_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJiEEEEEEEvNT_6ParamsE";
constexpr const char* kFlash =
    "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<int>>>(T1)";
constexpr const char* kMangledFlash =
    "_ZN7cutlass13device_kernelIN5flash20enable_sm90_or_laterINS1_16FlashAttnFwdSm90IiEEEEEEvNT_"
    "6ParamsE";

std::string agents_word(std::string_view name) {
  return std::string(agent::KernelWord(name).read());
}

TEST(GateGroups, know_kernels_in_wrappers_by_the_class_inside) {
  EXPECT_EQ(kernel_word(kGemm), "GemmUniversal");
  EXPECT_EQ(kernel_word(kFlash), "FlashAttnFwdSm90");
  EXPECT_EQ(kernel_word("void ck_tile::kentry<1, ck_tile::FmhaFwdKernel<int>>(T1)"),
            "FmhaFwdKernel");
  EXPECT_EQ(kernel_word("void cublasLt::splitKreduce_kernel<(int)32, float>(T1)"),
            "splitKreduce_kernel");
  EXPECT_EQ(kernel_word("void a::(anonymous namespace)::f<int>(int)"), "f");
  EXPECT_EQ(kernel_word("triton_poi_fused.1-x"), "triton_poi_fused.1-x");
}

TEST(GateGroups, of_mangled_names_are_the_same_for_the_agent) {
  EXPECT_EQ(agents_word(kMangledGemm), "GemmUniversal");
  EXPECT_EQ(agents_word(kMangledFlash), "FlashAttnFwdSm90");
  EXPECT_EQ(agents_word("_ZN7ck_tile6kentryILi1ENS_13FmhaFwdKernelIiEEEEvT0_"), "FmhaFwdKernel");
  EXPECT_EQ(agents_word("_ZN1a12_GLOBAL__N_1L1fIiEEvT_"), "f");
  EXPECT_EQ(agents_word("_ZL1fPf"), "f");
  EXPECT_EQ(agents_word("_Z6plain_Pf"), "plain_");
  EXPECT_EQ(agents_word("splitKreduce"), "splitKreduce");
  // What a template gets is not what it is called.
  EXPECT_EQ(agents_word("_ZN1a1fIN1b16FlashAttnFwdSm90EEEvT_"), "f");
}

TEST(GateGroups, find_the_same_word_in_all_forms_of_a_name) {
  std::istringstream file(
      testing::read_file(std::string(TACTUS_ROOT) + "/tests/names/name_forms.txt"));
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && !line.starts_with('#')) names.push_back(line);
  }
  ASSERT_GE(names.size(), 27U);
  for (std::size_t i = 0; i + 2 < names.size(); i += 3) {
    const std::string word = kernel_word(names[i]);
    EXPECT_FALSE(word.empty()) << names[i];
    EXPECT_EQ(kernel_word(names[i + 1]), word);
    EXPECT_EQ(kernel_word(names[i + 2]), word);
    EXPECT_EQ(agents_word(names[i]), word);
  }
}

TEST(GateGroups, read_names_that_end_anywhere) {
  const std::string name = kMangledFlash;
  for (std::size_t size = 0; size <= name.size(); ++size) {
    const std::string part = name.substr(0, size);
    EXPECT_LE(agents_word(part).size(), part.size());
  }
  EXPECT_EQ(agents_word("_Z99999999999999999999999999a"), "");
  EXPECT_EQ(agents_word("_ZNS"), "");
  EXPECT_EQ(agents_word("_ZN13device_kernelIL"), "device_kernel");
}

TEST(GateGroups, let_members_pass_in_any_form_and_nothing_else_in_their_wrapper) {
  Policy policy;
  policy.members = {wire::gate_hash("FlashAttnFwdSm90", 16)};
  EXPECT_TRUE(is_never_held(policy, kFlash));
  EXPECT_TRUE(is_never_held(policy, kMangledFlash));
  EXPECT_FALSE(is_never_held(policy, kGemm));
  EXPECT_FALSE(is_never_held(policy, kMangledGemm));
}

TEST(GateGroups, that_name_a_wrapper_are_refused) {
  const auto groups = read_groups("splitKreduce_kernel\ndevice_kernel\n", "g.txt");
  ASSERT_FALSE(groups);
  EXPECT_NE(groups.error().message.find("g.txt: line 2: device_kernel"), std::string::npos);
  const auto policy = read_policy(
      "policy = \"open\"\nmembers = [\"Kernel2\"]\n[[class]]\nname = \"a\"\n", "p.toml");
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().message.find("line 2"), std::string::npos);
}

/// A report in which `launches` kernels of a name ran, `following` of them behind the head "head".
KernelReport report_of(std::int64_t launches, std::int64_t following) {
  KernelReport report;
  for (const auto& [name, count] : {std::pair("head", following), std::pair(kGemm, launches)}) {
    KernelRow& row = report.table.rows.emplace_back();
    row.name = name;
    row.instances = count;
  }
  LaunchGroup& group = report.groups.emplace_back();
  group.intercept_as_one = true;
  group.instances = following;
  for (const char* name : {"head", kGemm}) {
    GroupMember& member = group.members.emplace_back();
    member.kernels = {name};
    member.launches = {following};
  }
  return report;
}

TEST(GateGroups, leave_out_a_word_that_lets_more_pass_than_belongs_to_groups) {
  const GroupMembers most = group_members(report_of(100, 51));
  ASSERT_EQ(most.members.size(), 1U);
  EXPECT_EQ(most.members[0].word, "GemmUniversal");
  const GroupMembers few = group_members(report_of(2304, 64));
  EXPECT_TRUE(few.members.empty());
  ASSERT_EQ(few.left_out.size(), 1U);
  EXPECT_EQ(why_left_out(few.left_out[0]),
            "only 64 of its 2304 launches follow the head of a group");
}

/// "tactus ARGUMENTS" as JSON.
Json json_of(const std::string& arguments) {
  return Json::parse(testing::run_command(TACTUS_TOOL " " + arguments).out);
}

TEST(GateGroups, of_published_profiles_are_exported_and_used) {
  struct Profile {
    const char* seed;
    std::vector<std::string> words;
    double members;  ///< launches: attention, its combine, reduces of split GEMMs, scans
  };
  for (const Profile& profile :
       {Profile{
            "001_9d4567749f1494f6.txt",
            {"DeviceScanKernel", "FlashAttnFwdCombine", "FlashAttnFwdSm90", "splitKreduce_kernel"},
            2368 + 2304 + 2880 + 70},
        Profile{"002_f016f53a8cb403b0.txt",
                {"DeviceScanKernel", "PersistentVariableLengthMergeStatesKernel",
                 "splitKreduce_kernel"},
                512 + 2240 + 44}}) {
    const auto seed = testing::shared_file(std::string("seeds/") + profile.seed);
    if (!seed) GTEST_SKIP() << "the seeds are not here";
    const testing::TemporaryFolder folder;
    const std::string file = folder.file("groups.txt");
    const Json groups = json_of("gate groups " + *seed + " -o " + file + " --json");
    std::vector<std::string> words;
    for (const Json& member : groups.at("members")) words.push_back(member.text_at("word"));
    EXPECT_EQ(words, profile.words);
    const Json explained =
        json_of("gate explain " + *seed + " --policy priority --json --groups " + file);
    const Json& prefill = explained.at("classes").at(std::size_t{1});
    EXPECT_EQ(prefill.number_at("members").value_or(0), profile.members);
    EXPECT_EQ(prefill.number_at("heads").value_or(0),
              prefill.number_at("launches").value_or(0) - profile.members);
  }
}

}  // namespace
}  // namespace tactus::gate
