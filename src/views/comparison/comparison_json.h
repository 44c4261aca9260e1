#pragma once

#include <array>
#include <string>
#include <vector>

#include "classic/classic_report.h"
#include "classic/classic_report_reader.h"
#include "compare/comparison.h"
#include "views/common/run_json.h"

namespace tactus {

/// What goes with a comparison into a document or a page.
struct ComparisonContext {
  const std::vector<ClassicRow>* rows = nullptr;  ///< of the classic report, if one was made
  Tally dropped;                                  ///< of both runs together
  Tally repaired;
  std::vector<std::string> warnings;
};

/// The account of both runs; a warning says whose it is.
ComparisonContext context_of(const Run& normal, const Run& abnormal,
                             const std::array<std::string, 2>& labels);

/// The rows of a report that a second opinion is on, and what could not be read of it. The report
/// must outlive the context.
ComparisonContext context_of(const ClassicReportText& report);

/// A comparison as a document; the fields are those of docs/compare.md. What is unknown is null.
Json comparison_document(const Comparison& comparison, const ComparisonContext& context);
std::string show_comparison_json(const Comparison& comparison, const ComparisonContext& context);

}  // namespace tactus
