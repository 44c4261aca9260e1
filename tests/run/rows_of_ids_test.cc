#include "run/rows_of_ids.h"

#include <gtest/gtest.h>

#include <random>

namespace tactus {
namespace {

struct Item {
  std::int64_t id;
  std::int64_t start_ns;
};

Column starts_of(const std::vector<Item>& items) {
  Column starts;
  for (const Item& item : items) starts.append(item.start_ns);
  return starts;
}

/// The first `carriers` items carry their ids.
RowsOfIds rows_of(const std::vector<Item>& items, std::size_t carriers, const Column& starts) {
  RowsOfIds rows;
  for (std::size_t row = 0; row < carriers; ++row) rows.expect(items[row].id);
  rows.prepare();
  for (std::size_t row = 0; row < carriers; ++row) rows.put(items[row].id, row);
  rows.sort(starts);
  return rows;
}

/// What `before` says, by walking over all.
std::int64_t walked(const std::vector<Item>& items, std::size_t carriers, std::size_t row) {
  std::int64_t best = -1;
  for (std::size_t i = 0; i < carriers; ++i) {
    if (items[i].id != items[row].id || i == row) continue;
    const auto best_ns = best < 0 ? 0 : items[static_cast<std::size_t>(best)].start_ns;
    const bool in_time = items[i].start_ns <= items[row].start_ns;
    if (best < 0 || (in_time && (best_ns > items[row].start_ns || items[i].start_ns > best_ns))) {
      best = static_cast<std::int64_t>(i);
    }
  }
  return best;
}

TEST(RowsOfIds, finds_what_a_walk_over_all_rows_finds) {
  std::mt19937 random(7);
  for (const std::int64_t distance : {std::int64_t{1}, std::int64_t{1} << 40}) {
    for (int round = 0; round < 200; ++round) {
      std::vector<Item> items(60);
      for (Item& item : items) {
        item = {1 + distance * static_cast<std::int64_t>(random() % 12),
                static_cast<std::int64_t>(random() % 20)};
      }
      const Column starts = starts_of(items);
      const std::size_t carriers = 20 + random() % 41;
      RowsOfIds rows = rows_of(items, carriers, starts);
      for (std::size_t row = 0; row < items.size(); ++row) {
        ASSERT_EQ(rows.before(items[row].id, row, starts), walked(items, carriers, row));
      }
    }
  }
}

TEST(RowsOfIds, counts_ids_that_occur_again) {
  const std::vector<Item> items = {{5, 0}, {INT64_MAX, 1}, {5, 2}, {5, 3}, {1, 4}};
  RowsOfIds rows;
  for (const Item& item : items) rows.expect(item.id);
  rows.prepare();
  for (std::size_t row = 0; row < items.size(); ++row) rows.put(items[row].id, row);
  EXPECT_EQ(rows.sort(starts_of(items)), 2U);
}

TEST(RowsOfIds, finds_nothing_for_an_unknown_id) {
  const std::vector<Item> items = {{5, 0}, {std::int64_t{1} << 50, 1}, {7, 2}};
  const Column starts = starts_of(items);
  RowsOfIds near = rows_of(items, 1, starts);
  RowsOfIds far = rows_of(items, 2, starts);
  EXPECT_EQ(near.before(7, 2, starts), -1);
  EXPECT_EQ(far.before(7, 2, starts), -1);
  EXPECT_EQ(RowsOfIds().before(7, 2, starts), -1);
}

TEST(RowsOfIds, finds_the_right_one_of_very_many_with_one_id) {
  constexpr std::size_t kMany = 200'000;
  std::vector<Item> items;
  for (std::size_t i = 0; i < 2 * kMany; ++i) {
    items.push_back({7, static_cast<std::int64_t>(2 * (i % kMany) + i / kMany)});
  }
  const Column starts = starts_of(items);
  RowsOfIds rows = rows_of(items, kMany, starts);
  for (std::size_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(rows.before(7, kMany + i, starts), static_cast<std::int64_t>(i));
  }
}

}  // namespace
}  // namespace tactus
