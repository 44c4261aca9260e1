#include <gtest/gtest.h>

#include <numeric>

#include "page/column_reader.h"
#include "page/column_set.h"
#include "page/slice_bytes.h"
#include "page/timeline.h"
#include "support/hand_made_run.h"

namespace tactus::page {
namespace {

using testing::HandMadeRun;
using testing::read_columns;
using testing::read_whole;
using Numbers = std::vector<std::int64_t>;

TEST(ColumnSet, keeps_every_value_in_every_form) {
  const Numbers values = {0, 1, 127, 128, 65'536, std::int64_t{1} << 60};
  const Numbers wild = {5, -7, 1'000'000'000'000, -1'000'000'000'000, 0};
  ColumnSet columns;
  using Type = ColumnSet::Type;
  for (const auto& [name, type, list] :
       {std::tuple("varint", Type::kVarint, values), std::tuple("planes", Type::kPlanes, values),
        std::tuple("delta", Type::kDelta, wild), std::tuple("steps", Type::kDeltaPlanes, wild),
        std::tuple("zigzag", Type::kZigzagPlanes, wild)}) {
    columns.begin(name, type);
    for (const std::int64_t value : list) columns.add(value);
    columns.end();
  }
  auto read = read_columns(std::move(columns).take());
  EXPECT_EQ(read["varint"], values);
  EXPECT_EQ(read["planes"], values);
  EXPECT_EQ(read["delta"], wild);
  EXPECT_EQ(read["steps"], wild);
  EXPECT_EQ(read["zigzag"], wild);
}

TEST(SliceIndex, puts_nested_and_overlapping_slices_into_lanes) {
  HandMadeRun made;
  made.host("cpu_op", "outer", 0, 100)
      .host("cpu_op", "inner", 10, 20)
      .host("cpu_op", "next", 40, 5);
  made.kernel("a", 0, 50).kernel("b", 30, 40).kernel("c", 60, 10);
  NoProgress progress;
  const SliceIndex index(made.run(), 1, true, progress);
  ASSERT_EQ(index.tracks().size(), 2U);
  EXPECT_EQ(index.size(), 6U);
  auto read = read_whole(all_slices(made.run(), index, 1000).bytes);
  EXPECT_EQ(read["run"], (Numbers{3, 3}));
  EXPECT_EQ(read["start"], (Numbers{0, 10, 40, 0, 30, 60}));
  EXPECT_EQ(read["dur"], (Numbers{100, 20, 5, 50, 40, 10}));
  EXPECT_EQ(read["depth"], (Numbers{0, 1, 1, 0, 1, 0}));
  EXPECT_FALSE(read.contains("row"));  // the place
  EXPECT_FALSE(read.contains("merged"));
}

/// 10,000 slices of 10 ns, one every 20 ns.
HandMadeRun& many(HandMadeRun& made) {
  for (std::int64_t i = 0; i < 10'000; ++i) made.kernel(i % 2 == 0 ? "a" : "b", i * 20, 10);
  return made;
}

TEST(Tile, merges_what_is_narrower_than_a_pixel_and_loses_none) {
  HandMadeRun made;
  NoProgress progress;
  const SliceIndex index(many(made).run(), 1, true, progress);
  auto read = read_columns(tile_bytes(
      made.run(), index, {.tracks = {0}, .from_ns = 0, .to_ns = 200'000, .columns = 100}));
  EXPECT_LE(read["start"].size(), 210U);
  EXPECT_EQ(std::accumulate(read["merged"].begin(), read["merged"].end(), std::int64_t{0}), 10'000);
}

TEST(Tile, shows_single_slices_when_they_are_wide_enough) {
  HandMadeRun made;
  NoProgress progress;
  const SliceIndex index(many(made).run(), 1, true, progress);
  auto read = read_columns(
      tile_bytes(made.run(), index, {.from_ns = 1005, .to_ns = 1045, .columns = 1000}));
  EXPECT_EQ(read["start"], (Numbers{1000, 1020, 1040}));  // the first one began before
  EXPECT_EQ(read["row"], (Numbers{50, 51, 52}));
  EXPECT_FALSE(read.contains("merged"));
}

TEST(Tile, of_a_track_that_is_not_there_is_empty) {
  HandMadeRun made;
  NoProgress progress;
  const SliceIndex index(made.kernel("a", 0, 10).run(), 1, true, progress);
  auto read =
      read_columns(tile_bytes(made.run(), index, {.tracks = {77}, .from_ns = 0, .to_ns = 10}));
  EXPECT_TRUE(read["start"].empty());
}

TEST(AllSlices, of_a_huge_run_are_whole_in_the_middle_and_merged_elsewhere) {
  HandMadeRun made;
  NoProgress progress;
  const SliceIndex index(many(made).run(), 1, true, progress);
  const WholeSlices all = all_slices(made.run(), index, 1000);
  EXPECT_TRUE(all.is_merged);
  EXPECT_LE(all.shown, 1500U);
  auto read = read_whole(all.bytes);
  std::int64_t stands_for = 0;
  for (std::size_t i = 0; i < read["start"].size(); ++i) {
    stands_for += read["merged"][i];
    const std::int64_t start = read["start"][i];
    if (start >= all.whole.begin_ns && start < all.whole.end_ns) {
      EXPECT_EQ(read["merged"][i], 1);
    }
  }
  EXPECT_EQ(stands_for, 10'000);
}

TEST(Timeline, names_what_slices_are_shown_on) {
  HandMadeRun made;
  made.host("cpu_op", "aten::mm", 0, 10).kernel("nvjet_tst_128x8_64x12_2x1_v_bz_TNT", 0, 5);
  made.sample("gpu_power", "GPU 0", 3, "250.5", "W");
  NoProgress progress;
  const SliceIndex index(made.run(), 1, false, progress);
  const Timeline timeline = make_timeline(made.run(), index);
  ASSERT_EQ(timeline.tracks.size(), 2U);
  EXPECT_FALSE(timeline.tracks[0].on_device);
  EXPECT_TRUE(timeline.tracks[1].on_device);
  EXPECT_EQ(timeline.names.size(), 2U);
  EXPECT_EQ(timeline.families, std::vector<std::string>{"gemm"});
  ASSERT_EQ(timeline.counters.size(), 1U);
  EXPECT_EQ(timeline.counters[0].unit, "W");
}

}  // namespace
}  // namespace tactus::page
