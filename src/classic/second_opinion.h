#pragma once

#include "classic/classic_report_reader.h"
#include "compare/comparison.h"
#include "compare/thresholds.h"

namespace tactus {

/// What a classic report shows when its numbers are read with care: whether its cycles are of one
/// kind at all, which of its rows is a cause and which a symptom, and what it cannot show. The
/// report alone never proves a cause, so confidence is low or medium; it can be high only in that
/// the two runs are not comparable.
Comparison second_opinion(const ClassicReportText& report, const Thresholds& thresholds = {});

}  // namespace tactus
