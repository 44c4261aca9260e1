#include "stats/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace tactus {
namespace {

/// What a sorted list says: linear between neighbours, cut to whole ns.
std::int64_t sorted_quantile(std::vector<std::int64_t> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto low = static_cast<double>(values[below]);
  const auto high = static_cast<double>(values[std::min(below + 1, values.size() - 1)]);
  return static_cast<std::int64_t>(low + (high - low) * (place - static_cast<double>(below)));
}

void expect_quantiles_of_sorted_list(std::vector<std::int64_t> values) {
  const std::vector<std::int64_t> given = values;
  const DurationSummary summary = summarise(values);
  EXPECT_EQ(summary.med_ns, sorted_quantile(given, 0.5));
  EXPECT_EQ(summary.p90_ns, sorted_quantile(given, 0.9));
  EXPECT_EQ(summary.p99_ns, sorted_quantile(given, 0.99));
}

/// Scattered, the same each time.
std::vector<std::int64_t> scattered(std::size_t count, std::int64_t range) {
  std::vector<std::int64_t> values;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    values.push_back(static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(range)));
  }
  return values;
}

TEST(Summary, has_the_quantiles_of_the_sorted_list_however_long_it_is) {
  for (const std::size_t count : {1U, 2U, 3U, 100U, 4096U, 4097U, 50'000U}) {
    expect_quantiles_of_sorted_list(scattered(count, 1'000'000));
    expect_quantiles_of_sorted_list(scattered(count, 7));
  }
}

TEST(Summary, is_right_for_long_lists_of_one_value_or_with_a_value_far_off) {
  expect_quantiles_of_sorted_list(std::vector<std::int64_t>(10'000, 42));
  std::vector<std::int64_t> values = scattered(10'000, 5000);
  values[77] = std::int64_t{1} << 50;
  expect_quantiles_of_sorted_list(values);
}

TEST(Summary, survives_a_range_that_no_integer_holds) {
  std::vector<std::int64_t> values = scattered(10'000, 5000);
  values[3] = std::numeric_limits<std::int64_t>::min();
  values[9] = std::numeric_limits<std::int64_t>::max();
  expect_quantiles_of_sorted_list(values);
}

}  // namespace
}  // namespace tactus
