#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bounds/kernel_bounds.h"
#include "kernels/kernel_pairs.h"
#include "kernels/kernel_report.h"
#include "kernels/trace/launch_table.h"
#include "measure/idle_time.h"
#include "names/kernel_name.h"
#include "run/run.h"

namespace tactus {

enum class TableFormat : std::uint8_t { kTable, kTsv, kCsv, kMarkdown, kJson };

struct KernelsViewOptions {
  TableFormat format = TableFormat::kTable;
  std::size_t top = 0;             ///< rows shown; 0 for all
  std::size_t width = 0;           ///< of the terminal; 0 for no limit
  bool full_names = false;         ///< in a table, kernels have their full names
  bool sources = false;            ///< CSV says which lines of code launch
  bool filtered = false;           ///< only a part of the run was requested
  std::size_t skipped_steps = 0;   ///< of each process: the first ones are left out
  const IdleTime* idle = nullptr;  ///< null if it was not asked for
  /// Of a run that has launches and no kernels: with them, what kernels would say is unknown.
  const LaunchTable* launches = nullptr;
  std::string label_head;  ///< the label of the rows, if that is not the name: "Family"
  bool lines = false;      ///< labels are lines of code; says what kind of line
};

/// A kernel report (or the launches, where there are no kernels) and the bounds of its rows as
/// text. `run` is its source; its warnings go into the JSON.
std::string show_kernels(const KernelReport& report, const KernelBounds& bounds, const Run& run,
                         const KernelsViewOptions& options);

/// Takes the next piece of a long text.
using TextSink = std::function<Status(std::string_view)>;

/// The report as JSON with the first rows that are wanted, piece by piece.
Status write_kernels_json(const KernelReport& report, const KernelBounds& bounds, const Run& run,
                          const KernelsViewOptions& options, const TextSink& sink);

/// A kernel table as CSV, every digit kept.
std::string kernels_csv(const KernelTable& table);

/// Two kernel tables side by side, operator by operator.
std::string show_kernel_pairs(const KernelPairs& pairs, const Run& a, const Run& b,
                              const KernelsViewOptions& options);

/// What kernel names say, in the order given: as JSON an array of objects. `decoded` are those
/// names decoded.
std::string show_decoded(std::span<const std::string> names, std::span<const KernelName> decoded,
                         bool as_json);

}  // namespace tactus
