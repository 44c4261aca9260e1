#pragma once

#include "classic/second_opinion/report_reader.h"
#include "explain/comparison.h"

namespace tactus {

/// A careful reading of a classic report: whether its cycles are of one kind, which rows are causes
/// and which are symptoms, and what it cannot show. The report alone never proves a cause, so
/// confidence is low or medium. It can be high only for the statement that the two runs are not
/// comparable.
Comparison second_opinion(const ClassicReportText& report);

}  // namespace tactus
