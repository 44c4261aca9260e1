#include "watch/keep/cut_run.h"

#include <gtest/gtest.h>

#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::watch {
namespace {

TEST(CutRun, keeps_what_starts_in_the_time_with_arguments_and_links) {
  const std::string demo = std::string(TACTUS_ROOT) + "/data/demo/h200-good.tact";
  const testing::TemporaryFolder folder;
  const auto whole = open_run(demo, 1);
  ASSERT_TRUE(whole);
  const TimeSpan span = *whole->span();
  const std::int64_t middle = span.begin_ns + (span.end_ns - span.begin_ns) / 2;
  const Result<std::size_t> kept =
      cut_file(demo, {whole->origin_ns + span.begin_ns, whole->origin_ns + middle},
               folder.file("part.tact"), false);
  ASSERT_TRUE(kept) << kept.error().message;
  const auto part = open_run(folder.file("part.tact"), 1);
  ASSERT_TRUE(part);
  std::size_t expected = 0;
  std::size_t links = 0;
  std::vector<bool> is_kept(whole->slices.size());
  for (std::size_t i = 0; i < whole->slices.size(); ++i) {
    const std::int64_t start = whole->slices.start()[i];
    is_kept[i] = start >= span.begin_ns && start < middle;
    expected += is_kept[i] ? 1 : 0;
  }
  for (std::size_t i = 0; i < whole->links.rows; ++i) {
    links += is_kept[static_cast<std::size_t>(whole->links.from()[i])] &&
                     is_kept[static_cast<std::size_t>(whole->links.to()[i])]
                 ? 1
                 : 0;
  }
  EXPECT_GT(expected, 0U);
  EXPECT_LT(expected, whole->slices.size());
  EXPECT_EQ(part->slices.size(), expected);
  EXPECT_EQ(*kept, expected);
  EXPECT_EQ(part->links.rows, links);
  // The first slice that is left is the same, with its arguments.
  std::size_t first = 0;
  while (!is_kept[first]) ++first;
  EXPECT_EQ(part->slices.start()[0], whole->slices.start()[first]);
  EXPECT_EQ(part->slices.arg_row(0).has_value(), whole->slices.arg_row(first).has_value());
  EXPECT_TRUE(part->status());
}

TEST(CutRun, writes_no_file_if_nothing_is_left) {
  const std::string demo = std::string(TACTUS_ROOT) + "/data/demo/h200-good.tact";
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(cut_file(demo, {0, 1}, folder.file("part.tact"), false));
  EXPECT_FALSE(std::filesystem::exists(folder.file("part.tact")));
}

}  // namespace
}  // namespace tactus::watch
