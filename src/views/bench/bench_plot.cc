#include <fmt/format.h>

#include "catalogue/operator_family.h"
#include "views/bench/bench_cells.h"
#include "views/bench/bench_plot_marks.h"
#include "views/bench/bench_view.h"
#include "views/common/html.h"
#include "views/roofline/roofline_cells.h"
#include "views/roofline/roofline_plot.h"
#include "views/roofline/roofline_svg.h"

namespace tactus {
namespace {

constexpr double kBenchTitleHeight = 54;
constexpr double kMarkRadius = 3.4;
constexpr double kSmallRadius = 2.7;
constexpr std::size_t kManyShapes = 150;  // from this number on, dots are small
constexpr double kMarksLegendLeft = 800;
constexpr double kMarksLegendTop = 70;

constexpr double kBesideLine = 5;  // [px] above or below the middle of a line in the strip

/// The place of a shape at the time of a roofline; nothing without a time.
std::optional<PlotDot> timed_dot(const PlotFrame& frame, const Roofline& roofline,
                                 const ReportRow& entry, double aside) {
  const RooflineRow& row = roofline.rows[*entry.place];
  std::optional<PlotDot> dot = dot_of(frame, row, 0);
  if (!dot || !dot->timed) return std::nullopt;
  if (frame.strip_y(*row.op)) dot->y += aside;
  return dot;
}

std::string mark_of(const PlotFrame& frame, const BenchReport& report, const ReportRow& entry) {
  const auto own =
      timed_dot(frame, report.candidate_roofline, entry, report.has_rivals ? -kBesideLine : 0);
  const auto rival = timed_dot(frame, report.rival_roofline, entry, kBesideLine);
  if (!own && !rival) return {};
  const double radius = report.rows.size() < kManyShapes ? kMarkRadius : kSmallRadius;
  std::string marks;
  if (own && rival) {
    marks += fmt::format(R"(<path class="pair" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>)", own->x, own->y,
                         rival->x, rival->y);
  }
  if (rival) marks += mark_svg(rival->x, rival->y, radius, /*is_rival=*/true);
  if (own) marks += mark_svg(own->x, own->y, radius, /*is_rival=*/false);
  return marked_shape_svg(report, entry, marks);
}

}  // namespace

const std::string_view kBenchPlotStyle = R"css(
.plot circle.own { fill-opacity: .7; stroke-width: 0; }
.plot circle.rival { fill: none; stroke-width: 1.3; pointer-events: all; }
.plot .pair { stroke-width: 1; stroke-opacity: .4; fill: none; }
.plot .marks g:hover circle { stroke-width: 3; }
.plot .marks g:hover .pair { stroke-width: 2; stroke-opacity: 1; }
.plot .lane { fill: var(--rule); fill-opacity: .35; }
.plot .median { stroke: var(--ink); stroke-width: 2.4; }
.plot .median.rival { stroke-width: 1.4; }
.plot .legend .own, .plot .legend .rival { stroke: var(--ink); }
.plot .legend .own { fill: var(--ink); }
)css";

std::string marks_legend_svg(const BenchReport& report, double x, double y) {
  std::string out =
      fmt::format("<g class=\"legend\">{}<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n",
                  mark_svg(x, y, 5, false), x + 11, y + 4, html_text(report.candidates));
  if (report.has_rivals) {
    out += fmt::format("{}<text x=\"{:.0f}\" y=\"{:.0f}\">best rival</text>\n",
                       mark_svg(x, y + 20, 5, true), x + 11, y + 24);
  }
  return out + "</g>\n";
}

std::string mark_svg(double x, double y, double radius, bool is_rival, std::string_view more) {
  return fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"{}/>)",
                     is_rival ? "rival" : "own", x, y, radius, more);
}

std::string marked_shape_svg(const BenchReport& report, const ReportRow& entry,
                             const std::string& marks) {
  const BenchRow& row = *entry.row;
  std::vector<std::string> lines = {fmt::format("{} #{}", row.operator_name, row.shape_id)};
  if (entry.shape != nullptr) lines.back() += " " + entry.shape->label;
  lines.push_back(row.candidate + ": ");
  lines.back() +=
      entry.t_ns ? fmt::format("{}, S {}", bench_time_text(entry.t_ns), bench_percent_text(entry.s))
                 : std::string(bench_status_name(row.status));
  if (entry.rival) {
    lines.push_back(
        fmt::format("{}, S {}", bench_rival_text(entry.rival), bench_percent_text(entry.rival_s)));
  }
  if (const std::optional<double> ratio = entry.ratio()) {
    lines.back() += fmt::format(" ({})", bench_ratio_text(ratio));
  }
  lines.push_back("bound " + bench_time_text(entry.t_sol_ns));
  if (entry.place) {
    lines.back() += ", AI " + intensity_text(report.candidate_roofline.rows[*entry.place].ai);
  }
  std::string tip;
  for (const std::string& line : lines) tip += (tip.empty() ? "" : "\n") + html_text(line);
  return fmt::format("<g class=\"f{}\" data-op=\"{}\"><title>{}</title>{}</g>\n",
                     operator_family(row.operator_name), html_text(row.operator_name), tip, marks);
}

BenchPlot bench_roofline_plot(const BenchReport& report) {
  const Roofline* const both[] = {&report.candidate_roofline, &report.rival_roofline};
  const PlotFrame frame = plot_frame(both);
  BenchPlot plot;
  plot.title =
      fmt::format("{}: {} operators in {} shapes under the roof", report.result->machine.name,
                  report.operators.size(), report.rows.size());
  plot.meaning = fmt::format("Filled dots: {}; hollow dots: its best rival (strict model).",
                             report.candidates);
  if (!report.has_rivals)
    plot.meaning = "One dot per shape, at the measured time of its kernel (strict model).";
  plot.top = kBenchTitleHeight;
  plot.width = frame.width;
  plot.height = frame.height;
  plot.body = plot_legend_svg(report.candidate_roofline) +
              marks_legend_svg(report, kMarksLegendLeft, kMarksLegendTop) + axes_svg(frame);
  if (!report.candidate_roofline.hardware.empty()) {
    std::vector<RoofLabel> labels;
    plot.body += roof_svg(frame, report.candidate_roofline, 0, false, labels);
    plot.body += roof_labels_svg(frame, std::move(labels));
  }
  plot.body += "<g class=\"marks\">\n";
  for (const ReportRow& entry : report.rows) {
    if (entry.place) plot.body += mark_of(frame, report, entry);
  }
  plot.body += "</g>\n";
  return plot;
}

std::string bench_plot_svg(const BenchPlot& plot) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n"
      "<style>{3}{4}.plot .back {{ fill: var(--paper); }}\n</style>\n"
      "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
      "<text class=\"title\" x=\"16\" y=\"26\">{2}</text>\n"
      "<text x=\"16\" y=\"46\">{5}</text>\n{6}</svg>\n",
      plot.width, plot.height, html_text(plot.title), kPlotStyle, kBenchPlotStyle,
      html_text(plot.meaning), plot.body);
}

std::string bench_plot_html(const BenchPlot& plot, std::string_view id) {
  return fmt::format(
      "<div class=\"wide\"><svg class=\"plot\" id=\"{}\" viewBox=\"0 {:.0f} {:.0f} {:.0f}\" "
      "role=\"img\" aria-label=\"{}\">\n{}</svg></div>\n",
      id, plot.top, plot.width, plot.height - plot.top, html_text(plot.title), plot.body);
}

}  // namespace tactus
