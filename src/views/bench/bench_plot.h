#pragma once

#include <string>
#include <string_view>

#include "bench/results/bench_report.h"

namespace tactus {

/// The style of these plots, besides kPlotStyle.
extern const std::string_view kBenchPlotStyle;

/// A picture without its title, for a page or for its own file.
struct BenchPlot {
  std::string title;    ///< plain text
  std::string meaning;  ///< plain text: what the picture shows
  std::string body;     ///< SVG; begins below `top`
  double top = 0;       ///< [px] of a title
  double width = 0;     ///< [px]
  double height = 0;    ///< [px], the title included
};

/// FLOP/s over FLOP per byte under the roof of the machine: a filled dot for the candidate, a
/// hollow one for its fastest rival, a line between the two.
BenchPlot bench_roofline_plot(const BenchReport& report);

/// One line per operator, S across: filled dots for the candidate, hollow ones below for the
/// fastest rival, and a tick at each median.
BenchPlot bench_dots_plot(const BenchReport& report);

/// A plot as its own file.
std::string bench_plot_svg(const BenchPlot& plot);

/// A plot inside a page, with an id.
std::string bench_plot_html(const BenchPlot& plot, std::string_view id);

}  // namespace tactus
