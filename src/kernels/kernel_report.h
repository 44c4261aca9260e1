#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cycles/passes/run_passes.h"
#include "cycles/phases/phase.h"
#include "kernels/hints.h"
#include "kernels/launch_groups.h"
#include "kernels/modules/module_tree.h"
#include "kernels/structure.h"
#include "kernels/table/table_analysis.h"
#include "kernels/trace/attribution.h"
#include "kernels/trace/device_work.h"
#include "run/filter.h"

namespace tactus {

enum class GroupBy : std::uint8_t { kKernel, kFamily, kOperator, kSource, kGroup, kModule };

/// Which figures of a sum are known; each includes those before it.
enum class Known : std::uint8_t {
  kTotals,  ///< time, instances and their average: of a launch group
  kRange,   ///< the shortest and the longest: of several rows of a table
  kAll,     ///< the distribution, too: of kernels of a trace
};

/// Kernels summed up by something other than their name.
struct FoldedRow {
  KernelRow sum;  ///< its name is the label
  Known known = Known::kAll;
  std::int64_t kernels = 0;              ///< different names
  std::string largest;                   ///< the name with most of the time
  LineKind line_kind = LineKind::kNone;  ///< if the label is a line of code
};

/// What the kernels of one family come to.
struct FamilyShare {
  Family family = Family::kOther;
  std::int64_t total_ns = 0;
  double share = 0;  ///< of GPU time
  std::int64_t instances = 0;
  std::int64_t rows = 0;
};

struct KernelQuestion {
  SliceFilter filter;
  std::optional<Phase> phase;   ///< only kernels of this phase
  std::size_t skip_warmup = 0;  ///< leaves out the first cycles of each process
  GroupBy by = GroupBy::kKernel;
  bool whole = true;    ///< false: the table and its decoded names only
  bool phases = false;  ///< says the phase of each kernel, too
  bool unfold = false;  ///< by module: each layer is a row of its own
};

/// Everything that Tactus knows about the kernels of a run.
struct KernelReport {
  KernelTable table;                       ///< by name
  std::vector<KernelName> names;           ///< decoded, by row of the table
  KernelInstances kernels;                 ///< that the table sums up; none if it was read as such
  std::vector<std::uint32_t> row_of_name;  ///< row of the table by StringId; of a trace only
  std::vector<Phase> phases;      ///< by kernel, as the whole run shows it; if that was asked for
  std::vector<LaunchSite> sites;  ///< of the kernels; none unless all was asked for
  std::vector<FoldedRow> folded;  ///< by what was asked for, if that is not the name
  std::optional<ModuleTree> modules;  ///< if that was asked for
  std::vector<RowOrigin> origins;     ///< by row of the table
  Coverage coverage;
  std::vector<FamilyShare> families;  ///< all that occur, largest first
  std::vector<OtherWork> other_work;
  std::vector<LaunchGroup> groups;
  Structure structure;
  std::vector<Hint> hints;
  // Notes that came with a table.
  std::vector<std::string> inconsistencies;
  std::vector<StackNote> stack_notes;
  std::vector<AnsweredRow> answers;
};

KernelReport report_kernels(const Run& run, const KernelQuestion& question);
/// The same for who asks about one run several times: passes are found once, and who launched a
/// kernel is taken from a report on `all` of them, if it is given.
KernelReport report_kernels(const Run& run, const KernelQuestion& question, RunPasses& passes,
                            const KernelReport* all = nullptr);

}  // namespace tactus
