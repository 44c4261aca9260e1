#include <gtest/gtest.h>

#include <set>

#include "run/builder.h"
#include "run/event_view.h"
#include "run/tact/tact_file.h"
#include "support/files.h"

namespace tactus {
namespace {

using testing::TemporaryFolder;

NoProgress no_progress;
constexpr int kSlices = 400'000;
constexpr std::int64_t kStep = 1000;  // [ns] from a launch to the next

/// A frame around everything, then launches and their kernels, which run 30,000 steps later; a
/// counter sample with every launch.
Run long_run() {
  RunBuilder builder;
  builder.begin_source("long.json", "kineto");
  const ThreadId host = builder.thread(builder.process({.value = 17}), {.value = 17});
  const ThreadId stream = builder.thread(builder.process({.value = 0}), {.value = 7});
  const TrackId cpu = builder.track(host, false);
  const TrackId gpu = builder.track(stream, true);
  builder.run().tracks[gpu.value].device_index = 0;
  const CategoryId frame = builder.category("python_function");
  const CategoryId runtime = builder.category("cuda_runtime");
  const CategoryId kernel = builder.category("kernel");
  const ShapeId shape = builder.shape({{builder.intern("correlation"), ValueType::kInt}});
  const StringId launch = builder.intern("cudaLaunchKernel");
  EventTable& slices = builder.run().slices;
  slices.append(0, kSlices * kStep, builder.intern("main"), cpu.value, frame.value, ShapeId(0));
  CounterSeries series;
  series.source = builder.source_id();
  series.name = builder.intern("gpu_usage");
  series.field = series.category = series.unit = StringId(0);
  series.place = builder.intern("GPU 0");
  const SeriesId usage = builder.series(series);
  constexpr int kLate = 30'000;
  for (std::int64_t i = 0; i < kSlices + kLate; ++i) {
    if (i < kSlices) {
      const std::int64_t id = i + 1;
      slices.append(i * kStep, 10, launch, cpu.value, runtime.value, shape, std::span(&id, 1));
      builder.run().counters.append({i * kStep, usage.value, Decimal::pack(i % 100, 0)});
    }
    if (i >= kLate) {
      const std::int64_t id = i - kLate + 1;
      slices.append(i * kStep + 500, 20, builder.intern("kernel" + std::to_string(i % 5)),
                    gpu.value, kernel.value, shape, std::span(&id, 1));
    }
  }
  builder.end_source(0, 0);
  return builder.finish();
}

/// "start name n" of the kernels that start in the window, with the start of their launch.
std::vector<std::string> kernels_in(const Run& run, const TimeSpan& window) {
  std::vector<std::int64_t> call_of(run.slices.size(), -1);
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
    call_of[work] = run.slices.start()[call];
  });
  std::vector<std::string> lines;
  for_each_event(run, run.slices, [&](const EventView& event) {
    if (run.kind_of(event.category) != SliceKind::kKernel) return;
    if (event.start_ns < window.begin_ns || event.start_ns >= window.end_ns) return;
    lines.push_back(std::to_string(event.start_ns) + " " + std::string(run.strings[event.name]) +
                    " " + std::to_string(field_value(run, run.slices, event, 0).raw) + " " +
                    std::to_string(call_of[event.row]));
  });
  return lines;
}

TEST(Window, of_a_file_reads_what_it_needs_and_is_like_the_whole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("long.tact");
  tactus::Run whole = long_run();
  ASSERT_TRUE(write_run(whole, path, false, 2, no_progress));
  const TimeSpan window{.begin_ns = 300'000 * kStep, .end_ns = 310'000 * kStep};
  const auto part = open_run(path, {.threads = 1, .window = window});
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_LT(part->slices.size(), whole.slices.size() / 2);
  const std::vector<std::string> expected = kernels_in(whole, window);
  EXPECT_EQ(expected.size(), 10'000U);
  EXPECT_EQ(kernels_in(*part, window), expected);
  // The frame around everything is part of every window.
  std::set<std::string_view> names;
  for_each_event(*part, part->slices,
                 [&](const EventView& event) { names.insert(part->strings[event.name]); });
  EXPECT_TRUE(names.contains("main"));
  std::size_t samples = 0;
  for (std::size_t row = 0; row < part->counters.rows; ++row) {
    const std::int64_t time = part->counters.time()[row];
    samples += time >= window.begin_ns && time < window.end_ns ? 1 : 0;
  }
  EXPECT_EQ(samples, 10'000U);
  EXPECT_LT(part->counters.rows, whole.counters.rows);
  EXPECT_TRUE(part->status());
  EXPECT_TRUE(part->warnings.empty());
}

TEST(Window, works_in_a_file_that_was_cut_and_before_and_after_everything) {
  const TemporaryFolder folder;
  const std::string path = folder.file("long.tact");
  tactus::Run whole = long_run();
  ASSERT_TRUE(write_run(whole, path, false, 2, no_progress));
  const auto nothing =
      open_run(path, {.threads = 1, .window = TimeSpan{.begin_ns = -50, .end_ns = -10}});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->slices.size(), 0U);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);
  const TimeSpan window{.begin_ns = 120'000 * kStep, .end_ns = 121'000 * kStep};
  const auto part = open_run(path, {.threads = 1, .window = window});
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(kernels_in(*part, window), kernels_in(whole, window));
  EXPECT_FALSE(part->warnings.empty());
}

TEST(Clock, of_each_source_maps_its_times_when_they_are_read) {
  const auto make = [] {
    RunBuilder builder;
    for (const char* path : {"a.json", "b.json"}) {
      builder.begin_source(path, "kineto");
      const ThreadId thread = builder.thread(builder.process({.value = 1}), {.value = 1});
      const TrackId track = builder.track(thread, false);
      for (std::int64_t i = 0; i < 5; ++i) {
        builder.run().slices.append(i * 1'000'000, 10, builder.intern("x"), track.value,
                                    builder.category("cpu_op").value, ShapeId(0));
      }
      builder.end_source(1000, 0);
    }
    tactus::Run run = builder.finish();
    run.sources[1].clock = {.offset_ns = 700, .drift = 1e-4, .since_ns = 1'000'000};
    return run;
  };
  const TemporaryFolder folder;
  tactus::Run run = make();
  ASSERT_TRUE(write_run(run, folder.file("two.tact"), false, 1, no_progress));
  const auto opened = open_run(folder.file("two.tact"), 1);
  ASSERT_TRUE(opened);
  run.apply_clocks();
  for (std::size_t row = 0; row < 10; ++row) {
    EXPECT_EQ(opened->slices.start()[row], run.slices.start()[row]);
  }
  EXPECT_EQ(run.slices.start()[4], 4'000'000);
  EXPECT_EQ(run.slices.start()[5], 700 - 100);
  EXPECT_EQ(run.slices.start()[9], 4'000'000 + 700 + 300);
}

}  // namespace
}  // namespace tactus
