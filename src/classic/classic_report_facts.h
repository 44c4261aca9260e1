#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "classic/classic_report_reader.h"
#include "compare/comparison.h"
#include "compare/counters/counter_table.h"
#include "compare/thresholds.h"

namespace tactus {

/// True for kernels that wait for other devices: their time says who waited, not how much work
/// there was.
bool is_collective(std::string_view function);

/// How much GPU time a cycle holds in each run. Kernels take the same time for the same work unless
/// the GPU itself changed, so this tells whether cycles of both runs are of one kind, which beta, a
/// share of the cycle, hides.
struct WorkPerCycle {
  double ratio = 1;     ///< abnormal over normal: the middle one of all kernels, by their time
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

/// A counter of the report, as the function says that fills most of both runs.
struct ReportedCounter {
  WhyRow row;
  const CounterFact* fact = nullptr;  ///< null if the counter is not known
};
/// Causes first, then by how far they moved.
std::vector<ReportedCounter> reported_counters(const ClassicReportText& report,
                                               const Thresholds& thresholds);

/// The change of each function's absolute time per cycle, largest first.
std::vector<WhereRow> reported_times(const ClassicReportText& report);

/// How far the numbers of the table carry.
struct TableQuality {
  std::size_t rows = 0;
  std::size_t readings = 0;  ///< counters and devices: what the rows repeat
  std::size_t small_p = 0;   ///< p-values below 0.05, of four a row
  std::size_t erased = 0;    ///< rows whose mu moved and whose Z is 0 for a constant baseline
  std::size_t unmoved_suspects = 0;  ///< rows of a high score whose counter did not move
  double largest_z = 0;
};
TableQuality table_quality(const ClassicReportText& report);

}  // namespace tactus
