#pragma once

#include <string>

#include "ranks/rank_report.h"
#include "views/ranks/ranks_view.h"

namespace tactus {

/// "rank 1 came last in 312 of 320 collectives: ..."
std::string straggler_text(const RankReport& report, const LateRank& straggler);

/// How many calls of collectives were not found in all ranks; empty if all were.
std::string unmatched_text(const RankReport& report);

/// The tables and sentences, for a terminal or as Markdown.
std::string ranks_text(const RankReport& report, const RanksViewOptions& options);

}  // namespace tactus
