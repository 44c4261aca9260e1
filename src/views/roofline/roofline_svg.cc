#include "views/roofline/roofline_svg.h"

#include <fmt/format.h>

#include <array>

#include "catalogue/operator_family.h"
#include "views/common/html.h"
#include "views/roofline/roofline_cells.h"

namespace tactus {

const std::string_view kPlotStyle = R"css(
.plot { --paper: #fff; --ink: #1b1f24; --soft: #5b6570; --rule: #e3e7eb; --roof: #1b1f24;
  --f0: #d62f4b; --f1: #e07b00; --f2: #7b3fb5; --f3: #1f63c4; --f4: #13866a; --f5: #8a7400;
  --f6: #0a86a8; --f7: #5f6b77; font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .plot { --paper: #14171a; --ink: #e4e7ea; --soft: #98a2ad; --rule: #2a3036;
  --roof: #e4e7ea; --f0: #ff7a8a; --f1: #ffb04d; --f2: #bf94f0; --f3: #75aef8; --f4: #4fcfa7;
  --f5: #d8c24a; --f6: #5accea; --f7: #a3afba; } }
.plot text { fill: var(--soft); }
.plot .title { fill: var(--ink); font-size: 16px; font-weight: 600; }
.plot .name { fill: var(--ink); }
.plot .grid { stroke: var(--rule); fill: none; }
.plot .roof path { stroke: var(--roof); stroke-width: 1.6; fill: none; }
.plot .edge { fill: var(--ink); font-size: 11px; }
.plot .edge.faint { fill: var(--soft); }
.plot .slope { fill: var(--ink); font-size: 11px; stroke: var(--paper); stroke-width: 4px;
  paint-order: stroke; }
.plot .roof.faint path { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 3; opacity: .7; }
.plot circle { fill-opacity: .5; stroke-width: 1; }
.plot circle.could { fill-opacity: .08; }
.plot circle:hover { stroke-width: 3; fill-opacity: .9; }
.plot .f0 { fill: var(--f0); stroke: var(--f0); } .plot .f1 { fill: var(--f1); stroke: var(--f1); }
.plot .f2 { fill: var(--f2); stroke: var(--f2); } .plot .f3 { fill: var(--f3); stroke: var(--f3); }
.plot .f4 { fill: var(--f4); stroke: var(--f4); } .plot .f5 { fill: var(--f5); stroke: var(--f5); }
.plot .f6 { fill: var(--f6); stroke: var(--f6); } .plot .f7 { fill: var(--f7); stroke: var(--f7); }
)css";

namespace {

constexpr double kLegendLeft = 80;
constexpr double kLegendTop = 70;
constexpr double kLegendColumn = 180;

/// The background of a plot in its own file: pages have their own background.
constexpr std::string_view kFileStyle = R"css(
.plot .back { fill: var(--paper); }
)css";

}  // namespace

std::string plot_legend_svg(const Roofline& roofline) {
  std::array<std::size_t, kOperatorFamilies.size()> shapes{};
  for (const RooflineRow& row : roofline.rows) ++shapes[operator_family(row.op->name)];
  std::string out = "<g class=\"legend\">\n";
  std::size_t place = 0;
  for (std::size_t family = 0; family < shapes.size(); ++family) {
    if (shapes[family] == 0) continue;
    const std::size_t line = place / 4;
    const double x = kLegendLeft + kLegendColumn * static_cast<double>(place % 4);
    const double y = kLegendTop + 20 * static_cast<double>(line);
    out += fmt::format(
        "<circle class=\"f{}\" cx=\"{:.0f}\" cy=\"{:.0f}\" r=\"5\"/>"
        "<text x=\"{:.0f}\" y=\"{:.0f}\">{} ({})</text>\n",
        family, x, y, x + 11, y + 4, kOperatorFamilies[family], shapes[family]);
    ++place;
  }
  return out + "</g>\n";
}

std::string show_roofline_svg(const Roofline& roofline) {
  const Roofline* const all[] = {&roofline};
  const PlotFrame frame = plot_frame(all);
  const std::vector<std::size_t> timed = timed_hardware(roofline);
  const std::size_t shown = timed.empty() ? 0 : timed.front();
  std::string body = axes_svg(frame);
  std::string machine = "no machine";
  if (!roofline.hardware.empty()) {
    machine = roofline.hardware[shown]->name;
    std::vector<RoofLabel> labels;
    const std::string roof = roof_svg(frame, roofline, shown, false, labels);
    for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
      if (i != shown) body += roof_svg(frame, roofline, i, true, labels);
    }
    body += roof + roof_labels_svg(frame, std::move(labels)) + dots_svg(frame, roofline, shown);
  }
  const std::string title = fmt::format("{} operators in {} shapes on {}",
                                        roofline.operators.size(), roofline.rows.size(), machine);
  const std::string_view meaning =
      timed.empty() ? "One dot per shape, at its bound: no times are known. Area: importance."
                    : "One dot per shape, at the measured time of its kernel; hollow dots are at "
                      "the bound, without a measured time. "
                      "Area: importance.";
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n"
      "<style>{3}{4}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
      "<text class=\"title\" x=\"16\" y=\"26\">{2}</text>\n"
      "<text x=\"16\" y=\"46\">{5}</text>\n{6}{7}</svg>\n",
      frame.width, frame.height, html_text(title), kPlotStyle, kFileStyle,
      html_text(fmt::format("{} ({} model)", meaning, model_name(roofline.model))),
      plot_legend_svg(roofline), body);
}

}  // namespace tactus
