#include "ranks/rank_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

/// The trace of one rank: steps of a gemm and an all-reduce. Times in microseconds.
class RankTrace {
 public:
  explicit RankTrace(int rank, int ranks) : rank_(rank), ranks_(ranks) {}

  /// The gemm runs from `start`; the collective from `arrives` to `leaves`.
  RankTrace& step(int start, int arrives, int leaves) {
    const int call = ++calls_;
    range("user_annotation", "step", start - 5, leaves - start);
    launch(start - 4, call);
    kernel("gemm_kernel", start, arrives - start, call, "");
    launch(start - 2, call + 1000);
    kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", arrives,
           leaves - arrives, call + 1000,
           R"(,"In msg nelems":1000000,"Out msg nelems":1000000,"dtype":"BFloat16","Group size":)" +
               std::to_string(ranks_));
    return *this;
  }

  std::string json() const {
    return fmt::format(R"({{"distributedInfo":{{"rank":{},"world_size":{}}},"traceEvents":[{}]}})",
                       rank_, ranks_, events_);
  }

 private:
  void add(const std::string& event) { events_ += (events_.empty() ? "" : ",") + event; }
  void range(std::string_view category, std::string_view name, int start, int dur) {
    add(fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":1,"ts":{},"dur":{},"args":{{}}}})",
        category, name, 100 + rank_, start, dur));
  }
  void launch(int start, int correlation) {
    add(fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":{},"tid":1,"ts":{},"dur":1,)"
        R"("args":{{"correlation":{}}}}})",
        100 + rank_, start, correlation));
  }
  void kernel(std::string_view name, int start, int dur, int correlation, const std::string& more) {
    add(fmt::format(R"({{"ph":"X","cat":"kernel","name":"{}","pid":{},"tid":7,"ts":{},"dur":{},)"
                    R"("args":{{"device":{},"stream":7,"correlation":{}{}}}}})",
                    name, rank_, start, dur, rank_, correlation, more));
  }

  int rank_;
  int ranks_;
  int calls_ = 0;
  std::string events_;
};

RankReport report_of(const std::vector<RankTrace>& traces) {
  const testing::TemporaryFolder folder;
  ImportRequest request;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    request.inputs.push_back(folder.write(fmt::format("rank-{}.json", i), traces[i].json()));
  }
  NoProgress progress;
  Result<Imported> imported = open_or_import(request, progress);
  EXPECT_TRUE(imported) << imported.error().message;
  const Result<Cycles> cycles = find_cycles(imported->run, {});
  EXPECT_TRUE(cycles);
  return report_ranks(imported->run, *cycles);
}

/// Two ranks; the second comes `late` microseconds after the first to each collective.
std::vector<RankTrace> two_ranks(int late, int steps = 30) {
  std::vector<RankTrace> ranks = {RankTrace(0, 2), RankTrace(1, 2)};
  for (int i = 0; i < steps; ++i) {
    const int start = 100 + 1000 * i;
    // A little scatter, the same for both.
    const int arrives = start + 200 + i % 3;
    ranks[0].step(start, arrives, start + 700 + late);
    ranks[1].step(start, arrives + late, start + 700 + late);
  }
  return ranks;
}

TEST(RankReport, names_the_rank_that_comes_late) {
  const RankReport report = report_of(two_ranks(200));
  ASSERT_EQ(report.ranks.size(), 2u);
  EXPECT_EQ(report.ranks[0].rank, 0);
  EXPECT_TRUE(report.one_clock);
  ASSERT_EQ(report.stragglers.size(), 1u);
  EXPECT_EQ(report.stragglers[0].rank, 1u);
  EXPECT_EQ(report.stragglers[0].cost_ns, 200'000);
  EXPECT_EQ(report.stragglers[0].was_last, report.matched);
  EXPECT_EQ(report.stragglers[0].longer, part_of(Family::kGemm));
  EXPECT_NEAR(static_cast<double>(report.stragglers[0].longer_ns), 200'000, 1000);
  EXPECT_EQ(report.ranks[0].wait_ns, 200'000);
  EXPECT_EQ(report.ranks[1].wait_ns, 0);
}

TEST(RankReport, names_processes_by_the_pids_that_were_recorded) {
  const testing::TemporaryFolder folder;
  ImportRequest request;
  const std::vector<RankTrace> traces = two_ranks(200);
  const auto add = [&](const RankTrace& trace, const std::string& name, const std::string& pid) {
    // Without a rank, and each in a container of its own.
    std::string json = trace.json();
    json.replace(json.find("distributedInfo"), 15, "other");
    for (std::size_t at = 0; (at = json.find("\"pid\":10", at)) != std::string::npos;) {
      json.replace(at, 9, "\"pid\":" + pid);
    }
    request.inputs.push_back(folder.write(name, json));
  };
  NoProgress progress;
  const auto labels = [&] {
    const Result<Imported> imported = open_or_import(request, progress);
    EXPECT_TRUE(imported) << imported.error().message;
    const RankReport report = report_ranks(imported->run, *find_cycles(imported->run, {}));
    std::vector<std::string> names;
    for (const RankSummary& row : report.ranks) names.push_back(row.label);
    return names;
  };
  add(traces[0], "a.json", "395");
  add(traces[1], "b.json", "396");
  EXPECT_EQ(labels(), (std::vector<std::string>{"pid 395", "pid 396"}));
  request.inputs.pop_back();
  add(traces[1], "b.json", "395");
  EXPECT_EQ(labels(), (std::vector<std::string>{"pid 395 of a.json", "pid 395 of b.json"}));
}

TEST(RankReport, adds_up_a_step) {
  const RankReport report = report_of(two_ranks(200));
  for (const RankSummary& row : report.ranks) EXPECT_EQ(row.busy_ns + row.idle_ns, row.step_ns);
  EXPECT_EQ(report.ranks[0].comm_ns, report.ranks[0].exposed_comm_ns);
  EXPECT_NEAR(static_cast<double>(report.ranks[0].comm_ns), 699'000, 1000);
  EXPECT_NEAR(static_cast<double>(report.ranks[1].comm_ns), 499'000, 1000);
}

TEST(RankReport, counts_the_bandwidth_after_the_last_has_come) {
  const RankReport report = report_of(two_ranks(200));
  ASSERT_EQ(report.collectives.size(), 1u);
  const CollectiveRow& row = report.collectives[0];
  EXPECT_EQ(row.kind.name, "all_reduce");
  EXPECT_EQ(row.kind.bytes, 2'000'000);
  EXPECT_EQ(row.count, report.matched);
  EXPECT_EQ(row.wait_ns, report.matched * 200'000);
  EXPECT_EQ(row.last_rank, 1u);
  // 2 MB in 499 us; two ranks: each link carries 2 (n - 1) / n = 1 times that.
  ASSERT_TRUE(row.bus_bytes_per_s);
  EXPECT_NEAR(*row.bus_bytes_per_s, 2e6 / 499e-6, 0.01 * 2e6 / 499e-6);
}

TEST(RankReport, finds_no_straggler_where_ranks_take_turns) {
  std::vector<RankTrace> ranks = {RankTrace(0, 2), RankTrace(1, 2)};
  for (int i = 0; i < 30; ++i) {
    const int start = 100 + 1000 * i;
    const int late = i * 7 % 11 < 5 ? 100 : 0;
    ranks[0].step(start, start + 200 + late, start + 700);
    ranks[1].step(start, start + 300 - late, start + 700);
  }
  const RankReport report = report_of(ranks);
  EXPECT_TRUE(report.stragglers.empty());
  EXPECT_EQ(report.ranks[0].was_last + report.ranks[1].was_last, report.matched);
}

TEST(RankReport, matches_ranks_that_began_to_record_later) {
  std::vector<RankTrace> ranks = two_ranks(200, 12);
  RankTrace late(1, 2);
  for (int i = 3; i < 12; ++i) {
    const int start = 100 + 1000 * i;
    late.step(start, start + 400 + i % 3, start + 900);
  }
  const RankReport report = report_of({ranks[0], late});
  EXPECT_GE(report.matched, 7);
  EXPECT_LE(report.matched, 9);
  EXPECT_EQ(report.collectives[0].wait_ns, report.matched * 200'000);
  EXPECT_EQ(report.collectives[0].last_times, report.matched);
}

TEST(RankReport, of_one_rank_is_a_table_without_stragglers) {
  const RankReport report = report_of({two_ranks(0)[0]});
  EXPECT_EQ(report.ranks.size(), 1u);
  EXPECT_EQ(report.matched, 0);
  EXPECT_TRUE(report.stragglers.empty());
  EXPECT_TRUE(report.imbalance.empty());
}

TEST(RankReport, shows_operators_out_of_balance) {
  const RankReport report = report_of(two_ranks(200));
  ASSERT_EQ(report.imbalance.size(), 1u);
  EXPECT_EQ(report.imbalance[0].longest_rank, 1u);
  EXPECT_NEAR(static_cast<double>(report.imbalance[0].extra_ns), 200'000, 1000);
}

TEST(BusFactor, is_that_of_nccl_tests) {
  EXPECT_DOUBLE_EQ(bus_factor("all_reduce", 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor("gloo:all_reduce", 2), 1);
  EXPECT_DOUBLE_EQ(bus_factor("all_gather", 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor("reduce_scatter", 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor("broadcast", 8), 1);
}

}  // namespace
}  // namespace tactus
