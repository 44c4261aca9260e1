#include "run/tact/tact_file.h"

#include <gtest/gtest.h>

#include "run/builder.h"
#include "support/files.h"
#include "support/run_text.h"
#include "support/sample_trace.h"

namespace tactus {
namespace {

using testing::run_lines;
using testing::TemporaryFolder;

NoProgress no_progress;

std::string write_sample(const TemporaryFolder& folder, int steps) {
  auto run = testing::import_json(testing::sample_trace(steps));
  const std::string path = folder.file("run.tact");
  EXPECT_TRUE(write_run(run, path, true, 2, no_progress));
  return path;
}

TEST(TactFile, gives_back_the_run_that_was_written) {
  const TemporaryFolder folder;
  auto run = testing::import_json(testing::sample_trace(50));
  ASSERT_TRUE(write_run(run, folder.file("run.tact"), false, 2, no_progress));
  const auto again = open_run(folder.file("run.tact"), 2);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(run_lines(*again), run_lines(run));
  EXPECT_EQ(again->dropped, run.dropped);
  EXPECT_EQ(again->repaired, run.repaired);
  EXPECT_TRUE(again->status());
}

TEST(TactFile, keeps_a_kernel_summary_and_patterns) {
  RunBuilder builder;
  builder.begin_source("table.txt", "nsys_table");
  KernelTable table;
  table.rows.push_back({.name = "k",
                        .instances = 3,
                        .total_ns = 30,
                        .time_pct = 100,
                        .typed_source = "a/b.cu",
                        .line = 2});
  table.notes.push_back({.kind = "text", .line = 9, .text = "why?"});
  builder.run().kernel_summary = table;
  builder.run().patterns.append(
      {1, 2, 0, 3, 0, 0, 0, 0, Decimal::unknown(), 0, 0, 0, 0, 0, 0, 7, 0});
  builder.end_source(0, 10);
  auto run = builder.finish();
  const TemporaryFolder folder;
  ASSERT_TRUE(write_run(run, folder.file("run.tact"), false, 1, no_progress));
  const auto again = open_run(folder.file("run.tact"), 1);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->kernel_summary, table);
  ASSERT_EQ(again->patterns.rows, 1U);
  EXPECT_EQ(again->patterns.column(Patterns::kInstances)[0], 7);
  EXPECT_EQ(again->source_kind(), "nsys_table");
}

TEST(TactFile, does_not_overwrite_unless_told_to) {
  const TemporaryFolder folder;
  const std::string path = folder.write("run.tact", "precious");
  auto run = testing::import_json(testing::sample_trace(1));
  const auto refused = write_run(run, path, false, 1, no_progress);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_EQ(testing::read_file(path), "precious");
  EXPECT_TRUE(write_run(run, path, true, 1, no_progress));
  EXPECT_TRUE(open_run(path, 1));
}

TEST(TactFile, opens_up_to_the_last_whole_chunk_wherever_it_is_cut) {
  const TemporaryFolder folder;
  const std::string whole = testing::read_file(write_sample(folder, 20));
  std::size_t opened = 0;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const std::string path = folder.write("cut.tact", whole.substr(0, size));
    const auto run = open_run(path, 1);
    if (!run) {
      EXPECT_EQ(run.error().code, ErrorCode::kInput);
      continue;
    }
    ++opened;
    run_lines(*run);
    EXPECT_TRUE(run->status());
    EXPECT_EQ(run->dropped.at("truncated_input"), 1U);
    ASSERT_FALSE(run->warnings.empty());
    EXPECT_NE(run->warnings.back().find("ends early"), std::string::npos);
  }
  EXPECT_GT(opened, 10U);
}

TEST(TactFile, notices_every_flipped_bit) {
  const TemporaryFolder folder;
  const std::string whole = testing::read_file(write_sample(folder, 3));
  const auto good = open_run(folder.file("run.tact"), 1);
  const std::vector<std::string> expected = run_lines(*good);
  for (std::size_t at = 4; at < whole.size(); ++at) {
    if (at >= 8 && at < tact::kHeaderBytes) continue;  // reserved
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 8);
    const auto run = open_run(folder.write("damaged.tact", damaged), 1);
    if (!run) continue;
    const std::vector<std::string> lines = run_lines(*run);
    if (run->status() && run->warnings.empty()) {
      // What is left: flags of a chunk that do not matter.
      EXPECT_EQ(lines, expected) << at;
    }
  }
}

TEST(TactFile, can_be_read_while_it_is_appended_to) {
  const TemporaryFolder folder;
  const std::string path = folder.file("live.tact");
  RunBuilder builder;
  builder.begin_source("live", "kineto");
  const ThreadId thread = builder.thread(builder.process({.value = 1}), {.value = 2});
  const TrackId track = builder.track(thread, false);
  const CategoryId category = builder.category("cpu_op");
  const ShapeId shape = builder.shape({{builder.intern("n"), ValueType::kInt}});
  Result<OutputFile> file = OutputFile::create(path, false);
  ASSERT_TRUE(file);
  const std::string live = file->temporary_path();
  RunWriter writer(std::move(*file), 1);
  std::int64_t written = 0;
  for (const int count : {10, 70'000, 5}) {
    for (int i = 0; i < count; ++i, ++written) {
      const std::int64_t value = written * 2;
      builder.run().slices.append(written, 1, builder.intern("op" + std::to_string(written % 9)),
                                  track.value, category.value, shape, std::span(&value, 1));
    }
    ASSERT_TRUE(writer.append(builder.run(), no_progress));
    const auto seen = open_run(live, 1);
    ASSERT_TRUE(seen) << seen.error().message;
    ASSERT_EQ(seen->slices.size(), static_cast<std::size_t>(written));
    const auto last = seen->arg(seen->slices, static_cast<std::size_t>(written - 1), "n");
    ASSERT_TRUE(last);
    EXPECT_EQ(last->raw, (written - 1) * 2);
  }
}

TEST(TactFile, reads_only_the_columns_that_are_looked_at) {
  const TemporaryFolder folder;
  const auto run = open_run(write_sample(folder, 400), 1);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->column_bytes(), open_run(folder.file("run.tact"), 1)->column_bytes());
  const std::size_t before = run->column_bytes();
  run->slices.dur();
  const std::size_t with_one = run->column_bytes();
  run_lines(*run);
  EXPECT_LT(before, with_one);
  EXPECT_GT(run->column_bytes(), with_one * 3);
}

TEST(TactFile, says_what_it_is_if_it_is_another_version) {
  const TemporaryFolder folder;
  std::string bytes = testing::read_file(write_sample(folder, 1));
  bytes[4] = 9;
  const auto run = open_run(folder.write("new.tact", bytes), 1);
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().message.find("version 9"), std::string::npos);
}

}  // namespace
}  // namespace tactus
