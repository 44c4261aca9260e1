#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bench/results/bench_report.h"

namespace tactus {

/// The rows of a benchmark as a table, the results by operator and family, and the score in words.
std::string bench_text(const BenchReport& report, std::size_t width);

/// What earlier runs on the same candidate gave.
struct WatchedBefore {
  BenchResult last;   ///< the run before; no rows: there was none
  BenchResult timed;  ///< of each shape the last row that has a time
};

/// One run of several, short: a line per row with what changed, what is wrong, and how many rows
/// are faster or slower.
std::string bench_watch_text(const BenchResult& result, const WatchedBefore& before,
                             std::size_t width);

/// A second result compared with a first, row by row: FASTER, SLOWER, SAME, AMBIGUOUS.
std::string bench_comparison_text(const BenchResult& before, const BenchResult& after,
                                  std::size_t width);
std::string bench_comparison_json(const BenchResult& before, const BenchResult& after);

/// The results of a benchmark by family and operator, and every shape in a folded part.
std::string bench_markdown(const BenchReport& report);

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
