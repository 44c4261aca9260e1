#pragma once

#include <string>
#include <vector>

#include "views/common/text_table.h"
#include "watch/evaluate/evaluation.h"

namespace tactus {

/// One table of an evaluation, with what stands above it.
struct EvaluationTable {
  std::string title;
  std::string note;  ///< how it was measured
  TextTable table;
};

std::vector<EvaluationTable> evaluation_tables(const watch::Evaluation& evaluation);
/// What was read, in one paragraph.
std::string evaluation_summary(const watch::Evaluation& evaluation);

}  // namespace tactus
