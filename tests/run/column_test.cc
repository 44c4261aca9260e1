#include "run/column.h"

#include <gtest/gtest.h>

#include <random>

namespace tactus {
namespace {

std::vector<std::int64_t> all(const Column& column) {
  std::vector<std::int64_t> values(column.size());
  column.read(0, values);
  return values;
}

/// Values of every width a block may be packed to, in runs longer and shorter than a block.
std::vector<std::int64_t> mixed_values(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i) {
    const int shift = static_cast<int>(i / 3000 % 5) * 15;
    values.push_back(static_cast<std::int64_t>(random() >> (63 - shift)) - (1 << 14));
  }
  return values;
}

TEST(Column, gives_back_what_was_appended) {
  const std::vector<std::int64_t> values = mixed_values(30'000);
  Column column;
  for (const std::int64_t value : values) column.append(value);
  EXPECT_EQ(all(column), values);
  for (const std::size_t row : {0UL, 4095UL, 4096UL, 12'345UL, 29'999UL}) {
    EXPECT_EQ(column[row], values[row]) << row;
  }
}

TEST(Column, can_be_appended_to_after_it_was_packed) {
  const std::vector<std::int64_t> values = mixed_values(10'000);
  Column column;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 777 == 0) column.shrink();
    column.append(values[i]);
  }
  EXPECT_EQ(all(column), values);
}

TEST(Column, appends_many_at_once_as_one_by_one) {
  const std::vector<std::int64_t> values = mixed_values(20'000);
  Column column;
  std::size_t at = 0;
  for (const std::size_t count : {1UL, 5000UL, 4095UL, 1UL, 9000UL, 1903UL}) {
    column.append(std::span(values).subspan(at, count));
    at += count;
  }
  EXPECT_EQ(at, values.size());
  EXPECT_EQ(all(column), values);
}

TEST(Column, keeps_the_extremes) {
  const std::vector<std::int64_t> values = {INT64_MIN, INT64_MAX, 0, -1, 1};
  Column column;
  column.append(values);
  column.shrink();
  EXPECT_EQ(all(column), values);
}

TEST(Column, adds_to_all_rows_from_one_on) {
  for (const std::size_t first : {0UL, 1UL, 4096UL, 5000UL, 9999UL, 10'000UL}) {
    std::vector<std::int64_t> values = mixed_values(10'000);
    Column column;
    column.append(values);
    column.add(1'000'000, first);
    for (std::size_t i = first; i < values.size(); ++i) values[i] += 1'000'000;
    EXPECT_EQ(all(column), values) << first;
  }
}

TEST(Column, of_equal_values_takes_no_room) {
  Column column;
  for (int i = 0; i < 100'000; ++i) column.append(7);
  column.shrink();
  EXPECT_LT(column.memory_bytes(), 2000U);
  EXPECT_EQ(column[99'999], 7);
}

TEST(Column, for_each_piece_covers_the_range_once) {
  Column column;
  for (int i = 0; i < 10'000; ++i) column.append(i);
  std::int64_t next = 100;
  column.for_each_piece(100, 9'500, [&](std::size_t first, std::span<const std::int64_t> values) {
    EXPECT_EQ(static_cast<std::int64_t>(first), next);
    for (const std::int64_t value : values) EXPECT_EQ(value, next++);
  });
  EXPECT_EQ(next, 9'500);
}

}  // namespace
}  // namespace tactus
