#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bounds/kernel_bounds.h"
#include "cycles/phases/phase_summaries.h"
#include "kernels/kernel_report.h"
#include "kernels/trace/launch_table.h"
#include "measure/idle_time.h"
#include "page/flame.h"
#include "page/slice_bytes.h"
#include "page/timeline.h"
#include "views/common/json.h"

namespace tactus {

/// One run in the list of a page.
/// What a run knows about kernels.
enum class PageHolds : std::uint8_t { kNothing, kLaunches, kKernels };

struct PageRun {
  std::string name;  ///< of its file, without the folder
  std::string kind;  ///< trace, table, patterns, results, catalogue or report
  PageHolds holds = PageHolds::kNothing;
  std::size_t rows = 0;
  std::optional<std::int64_t> span_ns;
  bool live = false;
  std::uint64_t generation = 0;
};
std::string show_page_runs(const std::vector<PageRun>& runs);

/// How much of the slices a page has.
struct ShownTimeline {
  bool tiles = false;  ///< they are asked for by segment
  TimeSpan whole;      ///< where none is merged
  std::vector<std::string> warnings;
};
std::string show_page_timeline(const page::Timeline& timeline, const ShownTimeline& shown);

std::string show_page_flame(const page::Flame& flame);

/// What a run comes to.
struct OverviewParts {
  const KernelReport* report = nullptr;
  const KernelBounds* bounds = nullptr;
  const IdleTime* idle = nullptr;         ///< null if it is not known
  const LaunchTable* launches = nullptr;  ///< of a run that has no kernels
  std::vector<PhaseSummary> phases;       ///< of its steps; none if there are none
  std::string file;                       ///< for the commands
};
std::string show_page_overview(const OverviewParts& parts, const Run& run);

/// A slice with all that is known about it. `place` is that of its track in the timeline; `known`
/// is who launched it, which is looked for if it is not given.
std::string show_page_slice(const Run& run, std::uint32_t row, std::optional<std::size_t> place,
                            std::optional<LaunchSite> known = std::nullopt);

/// Names with the text, in any case of letters.
std::string show_page_search(const page::Timeline& timeline, const std::vector<std::size_t>& counts,
                             std::string_view text);

}  // namespace tactus
