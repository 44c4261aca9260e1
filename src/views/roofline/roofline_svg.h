#pragma once

#include <string>
#include <string_view>

#include "bounds/roofline/roofline.h"
#include "views/roofline/roofline_plot.h"

namespace tactus {

/// Colours of the plot, light and dark.
extern const std::string_view kPlotStyle;

/// One colour per family, and the meaning of the dot sizes, as SVG.
std::string plot_legend_svg(const Roofline& roofline);

/// The plot as its own file: the roof of the first machine that has times (else of the first),
/// those of the others faintly, and one dot per shape.
std::string show_roofline_svg(const Roofline& roofline);

}  // namespace tactus
