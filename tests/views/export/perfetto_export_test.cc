#include <gtest/gtest.h>

#include <algorithm>

#include "run/event_view.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/run_text.h"
#include "support/sample_trace.h"
#include "views/export/exports.h"
#include "views/export/perfetto_lanes.h"

namespace tactus {
namespace {

tactus::Run import_file(const std::string& path) {
  NoProgress progress;
  Result<Imported> imported = import_run({.inputs = {path}}, progress);
  EXPECT_TRUE(imported) << (imported ? "" : imported.error().message);
  return imported ? std::move(imported->run) : tactus::Run();
}

tactus::Run exported_and_read(const tactus::Run& run) {
  const testing::TemporaryFolder folder;
  Result<OutputFile> file = OutputFile::create(folder.file("run.pftrace"), false);
  EXPECT_TRUE(file);
  NoProgress progress;
  EXPECT_TRUE(write_perfetto(run, {}, *file, progress));
  EXPECT_TRUE(file->commit());
  return import_file(folder.file("run.pftrace"));
}

/// The text without zeros at the end of fractions: 0.10 and 0.1 are one number.
std::string without_zeros(std::string_view text) {
  std::string out;
  bool in_fraction = false;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (in_fraction && !is_digit) {
      while (out.back() == '0') out.pop_back();
      if (out.back() == '.') out.pop_back();
    }
    in_fraction = (in_fraction && is_digit) ||
                  (c == '.' && !out.empty() && out.back() >= '0' && out.back() <= '9');
    out.push_back(c);
  }
  return out;
}

/// What a run says, in an order that does not depend on the file; the arrows of Chrome's format are
/// links only.
std::vector<std::string> content(const tactus::Run& run) {
  std::vector<std::string> lines;
  for (std::string line : testing::run_lines(run)) {
    if (line.starts_with("flow") || line.starts_with("link")) continue;
    if (const std::size_t flags = line.find(" flags "); flags != std::string::npos) {
      line.erase(flags, line.find(' ', flags + 7) - flags);
    }
    lines.push_back(without_zeros(line + "\n"));
  }
  const auto slice = [&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    const auto name = static_cast<std::uint64_t>(run.slices.name()[at]);
    return std::to_string(run.slices.start()[at]) + " " + std::string(run.strings[StringId(name)]);
  };
  for (std::size_t i = 0; i < run.links.rows; ++i) {
    lines.push_back("link " + std::to_string(run.links.kind()[i]) + " " +
                    slice(run.links.from()[i]) + " -> " + slice(run.links.to()[i]));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void expect_same(const tactus::Run& run, const std::string& what) {
  const std::vector<std::string> expected = content(run);
  const std::vector<std::string> again = content(exported_and_read(run));
  ASSERT_EQ(again.size(), expected.size()) << what;
  for (std::size_t i = 0; i < again.size(); ++i) ASSERT_EQ(again[i], expected[i]) << what;
}

TEST(PerfettoExport, read_back_has_the_same_events_tracks_and_links) {
  expect_same(testing::import_json(testing::sample_trace(20)), "sample");
}

TEST(PerfettoExport, of_recorded_traces_read_back_has_the_same_content) {
  for (const char* name : {"traces/with_stack.json.gz", "traces/compiled.json.gz",
                           "traces/cuda_graph.json.gz", "public/mi300_bert.json.gz",
                           "public/b200_eager.json.gz", "public/nsys_cloverleaf.sqlite"}) {
    const auto input = testing::shared_file(std::string("data/") + name);
    if (!input) GTEST_SKIP() << "the shared traces are not here";
    expect_same(import_file(*input), name);
  }
}

TEST(PerfettoExport, keeps_the_ranks_of_a_job_apart) {
  const testing::TemporaryFolder folder;
  for (const char* rank : {"0", "1"}) {
    folder.write(std::string("rank") + rank + ".json",
                 std::string(R"({"distributedInfo":{"rank":)") + rank +
                     R"(,"world_size":2},"traceEvents":[)"
                     R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,)"
                     R"("ts":1,"dur":1,"args":{"correlation":5}},)"
                     R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":3,"ts":3,"dur":4,)"
                     R"("args":{"device":0,"stream":3,"correlation":5}}]})");
  }
  const auto run = import_file(folder.path().string());
  const auto again = exported_and_read(run);
  ASSERT_EQ(again.sources.size(), 2u);
  EXPECT_EQ(again.sources[1].rank, 1);
  EXPECT_EQ(again.sources[1].world_size, 2);
  EXPECT_EQ(again.devices.size(), run.devices.size());
  EXPECT_EQ(again.links.rows, 2u);
  EXPECT_EQ(content(again), content(run));
}

TEST(PerfettoExport, leaves_captures_out) {
  const testing::TemporaryFolder folder;
  const auto trace = [](const char* name) {
    return std::string(R"([{"ph":"X","cat":"kernel","name":")") + name +
           R"(","pid":0,"tid":3,"ts":3,"dur":4,"args":{"device":0,"stream":3}},)"
           R"({"ph":"i","name":"mark","pid":7,"tid":7,"ts":1}])";
  };
  const std::string path = folder.write("a.json", trace("replayed"));
  folder.write("a.capture.json", trace("captured"));
  const auto run = import_file(path);
  ASSERT_TRUE(run.has_captures());
  const auto again = exported_and_read(run);
  EXPECT_EQ(testing::slice_names(again), (std::vector<std::string>{"replayed 4000"}));
  EXPECT_EQ(again.instants.size(), 1u);
  EXPECT_EQ(again.sources.size(), 1u);
}

TEST(PerfettoExport, leaves_the_times_of_a_clock_without_date_as_they_are) {
  const auto run =
      testing::import_json(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":5000000,"dur":1},)"
                           R"({"ph":"C","name":"c","pid":1,"ts":4000000,"args":{"value":1}}])");
  const auto again = exported_and_read(run);
  EXPECT_EQ(again.origin_ns, 5'000'000'000);
  EXPECT_EQ(content(again), content(run));
}

TEST(PerfettoExport, counts_a_slice_that_did_not_end_again) {
  const auto run =
      testing::import_json(R"([{"ph":"B","name":"open","pid":1,"tid":1,"ts":1},)"
                           R"({"ph":"X","name":"later","pid":1,"tid":1,"ts":2,"dur":7}])");
  const auto again = exported_and_read(run);
  EXPECT_EQ(again.repaired.at("end_missing"), 1u);
  EXPECT_EQ(testing::slice_names(again), (std::vector<std::string>{"open 8000", "later 7000"}));
}

TEST(PerfettoExport, writes_only_what_the_filter_takes) {
  const auto run = testing::import_json(testing::sample_trace(5));
  const testing::TemporaryFolder folder;
  Result<OutputFile> file = OutputFile::create(folder.file("run.pftrace"), false);
  NoProgress progress;
  SliceFilter filter;
  filter.device = 0;
  ASSERT_TRUE(write_perfetto(run, {.filter = filter}, *file, progress));
  ASSERT_TRUE(file->commit());
  const auto again = import_file(folder.file("run.pftrace"));
  EXPECT_GT(again.slices.size(), 0u);
  EXPECT_LT(again.slices.size(), run.slices.size());
}

TEST(PerfettoExport, fails_on_a_full_disk) {
  const auto run = testing::import_json(testing::sample_trace(2000));
  Result<OutputFile> file = OutputFile::create("/dev/full", true);
  if (!file) GTEST_SKIP() << "there is no /dev/full here";
  NoProgress progress;
  const Status written = write_perfetto(run, {}, *file, progress);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kBroke);
}

/// "lane: begin row" and "lane: end" in the order of the walk.
std::vector<std::string> walk(std::vector<LaneSlice> slices) {
  std::vector<std::string> out;
  Lanes lanes;
  lanes.walk(
      slices,
      [&](std::size_t lane, const LaneSlice& slice) {
        out.push_back(std::to_string(lane) + ": " + std::to_string(slice.row));
      },
      [&](std::size_t lane, std::int64_t end_ns) {
        out.push_back(std::to_string(lane) + ": end " + std::to_string(end_ns));
      });
  return out;
}

TEST(PerfettoLanes, keep_slices_that_are_inside_or_after_each_other_together) {
  EXPECT_EQ(walk({{0, 10, 0}, {2, 5, 1}, {5, 10, 2}, {10, 12, 3}}),
            (std::vector<std::string>{"0: 0", "0: 1", "0: end 5", "0: 2", "0: end 10", "0: end 10",
                                      "0: 3", "0: end 12"}));
}

TEST(PerfettoLanes, put_slices_that_overlap_beside_each_other) {
  EXPECT_EQ(
      walk({{0, 10, 0}, {5, 15, 1}, {12, 14, 2}}),
      (std::vector<std::string>{"0: 0", "1: 1", "0: end 10", "0: 2", "0: end 14", "1: end 15"}));
}

TEST(PerfettoLanes, use_a_lane_again_also_if_there_are_very_many) {
  std::vector<LaneSlice> slices;
  constexpr std::uint32_t kCount = 20'000;
  for (std::uint32_t i = 0; i < kCount; ++i) slices.push_back({i, kCount + i, i});
  for (std::uint32_t i = 0; i < kCount; ++i)
    slices.push_back({3 * kCount + i, 9 * kCount, kCount + i});
  std::size_t most = 0, begins = 0;
  Lanes lanes;
  lanes.walk(
      slices,
      [&](std::size_t lane, const LaneSlice&) {
        most = std::max(most, lane);
        ++begins;
      },
      [](std::size_t, std::int64_t) {});
  EXPECT_EQ(begins, 2u * kCount);
  EXPECT_EQ(most + 1, kCount);
}

}  // namespace
}  // namespace tactus
