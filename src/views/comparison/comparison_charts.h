#pragma once

#include <string>

#include "explain/comparison.h"

namespace tactus {

// Charts of a comparison as HTML with SVG inside; colours come from the page's style sheet. Texts
// are HTML and only shapes are SVG, so that letters stay readable on a phone.

/// From a normal step to an abnormal one, one bar per part of the change; empty if nothing is
/// known.
std::string waterfall_html(const Comparison& comparison);

/// One point per step for both runs, with their medians; empty if there are no steps.
std::string step_chart_html(const Comparison& comparison);

}  // namespace tactus
