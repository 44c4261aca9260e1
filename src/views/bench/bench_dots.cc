// One line per operator, S across.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/bench/bench_cells.h"
#include "views/bench/bench_plot_marks.h"
#include "views/bench/bench_view.h"
#include "views/common/html.h"
#include "views/roofline/roofline_svg.h"

namespace tactus {
namespace {

constexpr double kWidth = 1000;
constexpr double kNamesEnd = 252;
constexpr double kLeft = 330;
constexpr double kRight = 900;
constexpr double kTitleHeight = 54;
constexpr double kLinesTop = 138;
constexpr double kLine = 26;
constexpr double kHalf = 6;  // [px] from the middle of a line to the candidate or the rival
constexpr double kRadius = 3.2;
constexpr double kBelow = 48;

/// The root spreads small values, where most shapes of few tokens are, and has a zero.
double at(double s) {
  return kLeft + (kRight - kLeft) * std::sqrt(std::clamp(s, 0.0, 1.04));
}

/// Where the page moves it if no bound is below a launch.
std::string launch_attribute(const std::optional<double>& s_with_launch) {
  return s_with_launch ? fmt::format(" data-launch=\"{:.1f}\"", at(*s_with_launch)) : "";
}

std::string median_svg(const std::optional<double>& s, const std::optional<double>& s_with_launch,
                       double y, bool is_rival) {
  if (!s) return {};
  return fmt::format(
      R"(<line class="median{}" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"{}/>)",
      is_rival ? " rival" : "", at(*s), at(*s), y - kHalf, y + kHalf,
      launch_attribute(s_with_launch));
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view look = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, look.empty() ? "" : fmt::format(" class=\"{}\"", look),
                     html_text(text));
}

/// In parts that the page can move when it shows fewer lines: `grid-lines` can be scaled from its
/// top, `below` can be shifted.
std::string axis_svg(double bottom) {
  std::string lines;
  std::string above;
  std::string below;
  for (const double s : {0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0}) {
    const std::string label = fmt::format("{:.0f}%", 100 * s);
    lines += fmt::format("M{:.1f} 0V{:.1f}", at(s), bottom - kLinesTop);
    above += text_at(at(s), kLinesTop - 7, "middle", label);
    below += text_at(at(s), bottom + 16, "middle", label);
  }
  below += text_at((kLeft + kRight) / 2, bottom + 36, "middle",
                   "S, the bound divided by the time (root scale)", "name");
  return fmt::format(
      "<g class=\"grid-lines\" data-top=\"{0}\" transform=\"translate(0 {0})\"><path "
      "class=\"grid\" d=\"{1}\"/></g>\n{2}<g class=\"below\">\n{3}</g>\n",
      kLinesTop, lines, above, below);
}

std::string line_svg(const BenchReport& report, const ReportGroup& group, double y) {
  std::string out = fmt::format(R"(<g class="line" data-op="{}">)", html_text(group.name));
  out += text_at(kNamesEnd, y + 4, "end", group.name, "name");
  out += text_at(kLeft - 24, y + 4, "end", bench_importance_text(group.importance));
  if (group.ratio) out += text_at(kWidth - 12, y + 4, "end", bench_ratio_text(group.ratio), "name");
  const double own_y = report.has_rivals ? y - kHalf : y;
  const std::string medians =
      median_svg(group.median_s, group.median_s_with_launch, own_y, false) +
      median_svg(group.rival_median_s, group.rival_median_s_with_launch, y + kHalf, true);
  for (const std::size_t place : group.rows) {
    const ReportRow& entry = report.rows[place];
    std::string marks;
    if (entry.rival_s) {
      marks += mark_svg(at(*entry.rival_s), y + kHalf, kRadius, true,
                        launch_attribute(entry.rival_s_with_launch));
    }
    if (entry.s) {
      marks += mark_svg(at(*entry.s), own_y, kRadius, false, launch_attribute(entry.s_with_launch));
    }
    if (!marks.empty()) out += marked_shape_svg(report, entry, marks);
  }
  return out + medians + "</g>\n";
}

}  // namespace

BenchPlot bench_dots_plot(const BenchReport& report) {
  BenchPlot plot;
  plot.title = fmt::format("{}: how close to the bound", report.result->machine.name);
  plot.meaning = "One dot per shape, one tick at the median. Operators by importance.";
  if (report.has_rivals) {
    plot.meaning +=
        fmt::format(" Upper dots: {}; lower, hollow dots: its best rival.", report.candidates);
  }
  const double bottom = kLinesTop + kLine * static_cast<double>(report.operators.size());
  plot.top = kTitleHeight;
  plot.width = kWidth;
  plot.height = bottom + kBelow;
  std::string lanes;
  std::string lines;
  for (std::size_t i = 0; i < report.operators.size(); ++i) {
    const double top = kLinesTop + kLine * static_cast<double>(i);
    if (i % 2 == 1) {
      lanes +=
          fmt::format("<rect class=\"lane\" x=\"0\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n",
                      top, kWidth, kLine);
    }
    lines += line_svg(report, report.operators[i], top + kLine / 2);
  }
  plot.body = plot_legend_svg(report.candidate_roofline) + marks_legend_svg(report, 800, 70);
  plot.body += text_at(kLeft - 24, kLinesTop - 7, "end", "importance");
  if (report.has_rivals) plot.body += text_at(kWidth - 12, kLinesTop - 7, "end", "vs rival");
  plot.body += lanes + axis_svg(bottom) +
               fmt::format("<g class=\"marks\" data-line=\"{}\">\n", kLine) + lines + "</g>\n";
  return plot;
}

}  // namespace tactus
