#include "sources/job.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

using testing::TemporaryFolder;

NoProgress no_progress;

TEST(PlaceInName, is_found_in_files_and_folders) {
  EXPECT_EQ(place_in_name("a/rank3.json").rank, 3);
  EXPECT_EQ(place_in_name("job/rank_12/trace.json.gz").rank, 12);
  EXPECT_EQ(place_in_name("frank3.json").rank, std::nullopt);
  EXPECT_EQ(place_in_name("trace.json").rank, std::nullopt);
  const PlaceInName engine = place_in_name("1790-TP-2-DP-1.trace.json.gz");
  EXPECT_EQ(engine.rank, std::nullopt);
  EXPECT_EQ(engine.coordinates.at("tp"), 2);
  EXPECT_EQ(engine.coordinates.at("dp"), 1);
  EXPECT_EQ(place_in_name("TP0PP1.json").coordinates.at("tp"), 0);
  EXPECT_EQ(place_in_name("TP0PP1.json").coordinates.at("pp"), 1);
  // Letters and digits of a temporary folder.
  EXPECT_TRUE(place_in_name("/tmp/tmp-Pp05t7/b.json").coordinates.empty());
  EXPECT_EQ(place_in_name("gpu-7_4711.1790857026000000000.pt.trace.json").host, "gpu-7");
  EXPECT_EQ(place_in_name("some_trace.pt.trace.json").host, "");
}

struct Rank {
  std::string extra;  ///< members of the document
  std::string device = "NVIDIA H200";
  std::int64_t base_ns = 1'790'857'026'000'000'000;
};

/// Kernels of distinct ranks never start at the same nanosecond: `number` keeps them apart.
std::string trace(const Rank& rank, std::size_t number = 0) {
  return R"({"deviceProperties":[{"id":0,"name":")" + rank.device + R"("}],)" + rank.extra +
         R"("baseTimeNanoseconds":)" + std::to_string(rank.base_ns) +
         R"(,"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" +
         std::to_string(1 + number) +
         R"(,"dur":2,"args":{"device":0,"stream":7}},{"ph":"X","cat":"cpu_op","name":"op",)"
         R"("pid":17,"tid":17,"ts":0.5,"dur":1}]})";
}

Result<Imported> import_folder(const std::vector<std::pair<std::string, Rank>>& files,
                               bool merge = false) {
  const TemporaryFolder folder;
  std::size_t number = 0;
  for (const auto& [name, rank] : files) folder.write(name, trace(rank, number++));
  ImportRequest request;
  request.inputs = {folder.path().string()};
  request.merge = merge;
  return import_run(request, no_progress);
}

std::string why(const Result<Imported>& imported) {
  return imported ? "" : imported.error().message;
}

std::string of_world(int rank, int size) {
  return R"("distributedInfo":{"rank":)" + std::to_string(rank) + R"(,"world_size":)" +
         std::to_string(size) + "},";
}

TEST(Job, of_distinct_ranks_is_one_run) {
  const auto job = import_folder(
      {{"a.json", {of_world(0, 2)}}, {"b.json", {.extra = of_world(1, 2), .base_ns = 1000}}});
  ASSERT_TRUE(job) << why(job);
  EXPECT_EQ(job->run.processes.size(), 4U);
  EXPECT_EQ(job->run.processes[0].rank, 0);
  EXPECT_EQ(job->run.processes[0].world_size, 2);
  EXPECT_EQ(job->run.devices.size(), 2U);
}

TEST(Job, with_a_rank_twice_is_refused_unless_told_to_merge) {
  const std::vector<std::pair<std::string, Rank>> files = {{"a.json", {of_world(0, 2)}},
                                                           {"b.json", {of_world(0, 2)}}};
  const auto job = import_folder(files);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::kInput);
  EXPECT_NE(why(job).find("rank 0 occurs twice"), std::string::npos);
  EXPECT_NE(why(job).find("b.json: rank 0"), std::string::npos);
  EXPECT_NE(why(job).find("--merge"), std::string::npos);
  EXPECT_TRUE(import_folder(files, true));
}

TEST(Job, on_different_devices_or_days_or_world_sizes_is_refused) {
  EXPECT_NE(why(import_folder({{"a.json", {}}, {"b.json", {.device = "AMD MI300X"}}}))
                .find("one ran on NVIDIA H200, another on AMD MI300X"),
            std::string::npos);
  Rank later;
  later.base_ns += 3 * 86'400'000'000'000;
  EXPECT_NE(why(import_folder({{"a.json", {}}, {"b.json", later}})).find("days apart"),
            std::string::npos);
  EXPECT_NE(
      why(import_folder({{"a.json", {of_world(0, 2)}}, {"b.json", {of_world(1, 4)}}})).find("4"),
      std::string::npos);
  EXPECT_TRUE(import_folder({{"a.json", {}}, {"b.json", {}}}));
}

TEST(Job, of_a_recording_and_its_copy_is_said_to_count_twice_even_to_merge) {
  const TemporaryFolder folder;
  ImportRequest request;
  const std::string text = trace({});
  request.inputs = {folder.write("a.json", text), folder.write("copy.json", text)};
  for (const bool merge : {false, true}) {
    request.merge = merge;
    const auto job = import_run(request, no_progress);
    ASSERT_TRUE(job) << why(job);
    ASSERT_FALSE(job->run.warnings.empty());
    EXPECT_NE(job->run.warnings[0].find("copy.json: holds the same recording as "),
              std::string::npos);
  }
  request.inputs = {request.inputs[0], request.inputs[0]};
  EXPECT_FALSE(import_run(request, no_progress));
}

TEST(Job, whose_ranks_nothing_tells_is_doubted) {
  const auto doubted = import_folder({{"a.json", {}}, {"b.json", {}}});
  ASSERT_TRUE(doubted);
  ASSERT_EQ(doubted->run.warnings.size(), 1U);
  EXPECT_NE(doubted->run.warnings[0].find("nothing shows that the inputs are ranks of one job"),
            std::string::npos);
  EXPECT_TRUE(import_folder({{"a.json", {}}, {"b.json", {}}}, true)->run.warnings.empty());
  EXPECT_TRUE(import_folder({{"rank0.json", {}}, {"rank1.json", {}}})->run.warnings.empty());
}

TEST(Job, names_the_ranks_that_are_missing) {
  const auto job = import_folder({{"a.json", {of_world(0, 4)}}, {"b.json", {of_world(2, 4)}}});
  ASSERT_TRUE(job) << why(job);
  ASSERT_EQ(job->run.warnings.size(), 1U);
  EXPECT_EQ(job->run.warnings[0], "2 of 4 ranks are missing: 1, 3");
  EXPECT_TRUE(import_folder({{"a.json", {of_world(0, 4)}}})->run.warnings.empty());
}

/// The ranks of traces in folders of a job's folder; -1: none.
std::vector<std::int64_t> ranks_of(const std::vector<std::string>& names) {
  const TemporaryFolder folder;
  ImportRequest request;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::filesystem::create_directories(std::filesystem::path(folder.file(names[i])).parent_path());
    request.inputs.push_back(folder.write(names[i], trace({}, i)));
  }
  const auto job = import_run(request, no_progress);
  EXPECT_TRUE(job) << why(job);
  std::vector<std::int64_t> ranks;
  if (!job) return ranks;
  for (const Source& source : job->run.sources) ranks.push_back(source.rank.value_or(-1));
  return ranks;
}

TEST(Job, folders_name_ranks_only_if_they_tell_traces_apart) {
  using Ranks = std::vector<std::int64_t>;
  EXPECT_EQ(ranks_of({"tp0/a.json", "tp1/a.json"}), (Ranks{0, 1}));
  EXPECT_EQ(ranks_of({"tp2/a.json"}), (Ranks{-1}));  // how many there are
  EXPECT_EQ(ranks_of({"tp2/a.json", "tp2/b.json"}), (Ranks{-1, -1}));
  EXPECT_EQ(ranks_of({"tp2/rank0.json", "tp2/rank1.json"}), (Ranks{0, 1}));
  EXPECT_EQ(ranks_of({"TP-1.json"}), (Ranks{1}));
}

TEST(Job, takes_ranks_and_hosts_from_names_and_options) {
  const auto named = import_folder({{"x-TP-0-DP-0.json", {}},
                                    {"x-TP-1-DP-0.json", {}},
                                    {"x-TP-0-DP-1.json", {}},
                                    {"x-TP-1-DP-1.json", {}}});
  ASSERT_TRUE(named) << why(named);
  std::vector<std::int64_t> ranks;
  for (const Source& source : named->run.sources) ranks.push_back(source.rank.value_or(-1));
  EXPECT_EQ(ranks, (std::vector<std::int64_t>{0, 2, 1, 3}));  // by file name: TP-0-DP-0, TP-0-DP-1

  const TemporaryFolder folder;
  ImportRequest request;
  request.inputs = {folder.write("a.json", trace({})), folder.write("b.json", trace({}, 1))};
  request.ranks = {4, 5};
  request.hosts = {"node-a", "node-b"};
  const auto told = import_run(request, no_progress);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->run.sources[1].rank, 5);
  EXPECT_EQ(told->run.strings[told->run.hosts[1].name], "node-b");
  request.ranks = {4};
  EXPECT_EQ(import_run(request, no_progress).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace tactus
