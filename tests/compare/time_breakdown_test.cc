#include "compare/time_breakdown.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tactus {
namespace {

/// A process of three cycles in which each function takes a microsecond.
ComparedRun side_of(int functions) {
  ProcessCost process;
  for (int i = 1; i <= 3; ++i) {
    process.cycles.push_back({.number = i, .ns = 1e9, .launches = 1, .usable = true});
  }
  for (int i = 0; i < functions; ++i) {
    process.functions.push_back({.name = "function " + std::to_string(i),
                                 .type = i % 2 == 0 ? "gpu_compute" : "cpu_launch",
                                 .device = "",
                                 .ns = {1000, 1000, 1000},
                                 .count = {1, 1, 1}});
  }
  ComparedRun side;
  side.processes.push_back(std::move(process));
  return side;
}

TEST(TimeBreakdown, gives_functions_on_the_device_a_share_of_the_critical_path) {
  const std::vector<TimeBreakdownRow> rows = where_the_time_went(side_of(4), side_of(4), false);
  const auto share_of = [&](std::string_view what) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const TimeBreakdownRow& one) { return one.what == what; });
    return row == rows.end() ? std::nullopt : row->critical_share;
  };
  EXPECT_DOUBLE_EQ(share_of("function 2").value_or(0), 1e-6);
  EXPECT_FALSE(share_of("function 3"));
}

TEST(TimeBreakdown, has_a_row_for_each_of_very_many_functions) {
  constexpr int kMany = 50'000;
  const std::vector<TimeBreakdownRow> rows =
      where_the_time_went(side_of(kMany), side_of(kMany), false);
  EXPECT_EQ(rows.size(), kMany + 3U);  // and two classes and the idle time
}

}  // namespace
}  // namespace tactus
