#include "launches/sort_runs.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace tactus {
namespace {

std::vector<int> runs_of(std::size_t count, std::size_t length, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  for (int& value : values) value = static_cast<int>(random() % 1000);
  for (std::size_t begin = 0; begin < count; begin += length) {
    const std::size_t end = std::min(count, begin + length);
    std::sort(values.begin() + static_cast<std::ptrdiff_t>(begin),
              values.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return values;
}

TEST(SortRuns, any_values_are_sorted_whatever_the_length_of_their_runs) {
  for (const std::size_t count : {0UL, 1UL, 2UL, 3UL, 31UL, 32UL, 33UL, 1000UL, 4097UL}) {
    for (const std::size_t length : {1UL, 2UL, 7UL, 64UL, 500UL, 5000UL}) {
      std::vector<int> values = runs_of(count, length, static_cast<unsigned>(count + length));
      std::vector<int> expected = values;
      std::sort(expected.begin(), expected.end());
      sort_runs(values, std::less<>());
      EXPECT_EQ(values, expected) << count << " values, runs of " << length;
    }
  }
}

}  // namespace
}  // namespace tactus
