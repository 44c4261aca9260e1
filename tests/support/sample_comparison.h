#pragma once

#include <vector>

#include "classic/classic_report.h"
#include "explain/comparison.h"

namespace tactus::testing {

/// A CPU whose clock fell from 3500 to 900 MHz: launches take 3.57 times as long.
Comparison sample_comparison();

/// The same with names that try to break out of whatever they are shown in.
Comparison hostile_comparison();

/// A few rows of the classic report, one of them with a hostile name.
std::vector<ClassicRow> sample_classic_rows();

}  // namespace tactus::testing
