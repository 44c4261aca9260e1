#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "classic/second_opinion/report_reader.h"
#include "counters/counter_table.h"
#include "explain/comparison.h"

namespace tactus {

/// True for kernels that wait for other devices: their time shows who waited, not the amount of
/// work.
bool is_collective(std::string_view function);

/// How much GPU time a cycle holds in each run. Kernels take the same time for the same work unless
/// the GPU itself changed. So this shows whether cycles of both runs are of one kind; beta hides
/// that, because it is a share of the cycle.
struct WorkPerCycle {
  double ratio = 1;     ///< abnormal over normal: the median of all kernels, weighted by their time
  double agreeing = 0;  ///< share of the time in kernels within a quarter of that ratio
  std::size_t kernels = 0;
  std::optional<double> by_clock;  ///< the ratio that a change of the GPU's clock would give
};
std::optional<WorkPerCycle> work_per_cycle(const ClassicReportText& report);

/// Mean length of a cycle of each run [us]; nothing if the report does not say.
std::optional<std::array<double, 2>> cycle_lengths(const ClassicReportText& report);

/// Whether cycles of both runs hold the same work.
enum class CycleKinds : std::uint8_t { kSame, kDifferent, kUnknown };
CycleKinds judge_kinds(const std::optional<std::array<double, 2>>& lengths,
                       const std::optional<WorkPerCycle>& work);

/// A counter of the report, in the row of the function with most of the time in both runs.
struct ReportedCounter {
  CounterShiftRow row;
  const CounterFact* fact = nullptr;  ///< null if the counter is not known
};
/// Causes first, then by how far they moved.
std::vector<ReportedCounter> reported_counters(const ClassicReportText& report);

/// The change of each function's absolute time per cycle, largest first.
std::vector<TimeBreakdownRow> reported_times(const ClassicReportText& report);

/// How reliable the numbers of the table are.
struct TableQuality {
  std::size_t rows = 0;
  std::size_t readings = 0;  ///< distinct pairs of counter and device, which the rows repeat
  std::size_t small_p = 0;   ///< p-values below 0.05, of four per row
  std::size_t erased = 0;    ///< rows whose mu moved but whose Z is 0, because the normal run is
                             ///< constant
  std::size_t unmoved_suspects = 0;  ///< rows with a high score whose counter did not move
  double largest_z = 0;
};
TableQuality table_quality(const ClassicReportText& report);

}  // namespace tactus
