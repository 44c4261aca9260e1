#pragma once

#include <string>
#include <string_view>

#include "bench/results/bench_report.h"

namespace tactus {

/// What these plots have beside kPlotStyle.
extern const std::string_view kBenchPlotStyle;

/// A picture without its title: to stand in a page, or in a file of its own.
struct BenchPlot {
  std::string title;    ///< plain text
  std::string meaning;  ///< plain text: what is to be seen
  std::string body;     ///< SVG; begins below `top`
  double top = 0;       ///< [px] of a title
  double width = 0;     ///< [px]
  double height = 0;    ///< [px], the title included
};

/// FLOP/s over FLOP a byte under the roof of the machine: each shape filled where the candidate is,
/// hollow where its fastest rival is, a line between the two.
BenchPlot bench_roofline_plot(const BenchReport& report);

/// A line an operator, S across: filled dots for the candidate, hollow ones below for the fastest
/// rival, and a tick at each median.
BenchPlot bench_dots_plot(const BenchReport& report);

/// A plot as a file of its own.
std::string bench_plot_svg(const BenchPlot& plot);

/// A plot inside a page, with an id.
std::string bench_plot_html(const BenchPlot& plot, std::string_view id);

}  // namespace tactus
