#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ranks/rank_report.h"
#include "run/run.h"

namespace tactus {

enum class RanksFormat : std::uint8_t { kTable, kMarkdown, kCsv, kJson };

struct RanksViewOptions {
  RanksFormat format = RanksFormat::kTable;
  std::size_t width = 0;  ///< of the terminal; 0 for no limit
  std::size_t top = 0;    ///< rows of collectives and operators; 0 for all
};

/// The report of the ranks of a run; CSV has the table of the ranks only.
std::string show_ranks(const RankReport& report, const Run& run, const RanksViewOptions& options);

}  // namespace tactus
