#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "classic/classic_report.h"
#include "classic/second_opinion/report_reader.h"
#include "explain/comparison.h"
#include "views/common/json.h"

namespace tactus {

/// Extra data for a document or a page of a comparison.
struct ComparisonContext {
  const std::vector<ClassicRow>* rows = nullptr;  ///< of the classic report, if one was made
  Tally dropped;                                  ///< of both runs together
  Tally repaired;
  std::vector<std::string> warnings;
};

/// Dropped and repaired events and warnings of both runs; a warning says which run it is about.
ComparisonContext context_of(const Run& normal, const Run& abnormal,
                             const std::array<std::string, 2>& labels);

/// The rows of a report for a second opinion, and its unreadable parts. The report must outlive the
/// context.
ComparisonContext context_of(const ClassicReportText& report);

/// A comparison as a document; docs/compare.md lists the fields. Unknown values are null.
Json comparison_document(const Comparison& comparison, const ComparisonContext& context);
std::string show_comparison_json(const Comparison& comparison, const ComparisonContext& context);

/// A comparison for the terminal: the verdict first, then how much, where, why, what is not known
/// and what to look at next. Lines are at most `width` characters long (0 for no limit).
std::string show_comparison_text(const Comparison& comparison, std::size_t width);

/// A comparison as Markdown, for an issue or a chat: the same as the text, with all rows.
std::string show_comparison_markdown(const Comparison& comparison);

}  // namespace tactus
