#include <fmt/format.h>

#include <array>

#include "views/common/html.h"
#include "views/common/numbers.h"
#include "views/roofline/roofline_cells.h"
#include "views/roofline/roofline_page.h"
#include "views/roofline/roofline_page_data.h"
#include "views/roofline/roofline_plot.h"
#include "views/roofline/roofline_svg.h"
#include "views/roofline/roofline_view.h"

namespace tactus {
namespace {

/// A row of buttons; one of them is pressed.
std::string choice(std::string_view name, std::string_view legend,
                   const std::vector<std::string>& values, std::size_t chosen) {
  std::string out =
      fmt::format("<fieldset class=\"choice\"><legend>{}</legend>", html_text(legend));
  for (std::size_t i = 0; i < values.size(); ++i) {
    out +=
        fmt::format(R"(<label><input type="radio" name="{}" value="{}"{}><span>{}</span></label>)",
                    name, i, i == chosen ? " checked" : "", html_text(values[i]));
  }
  return out + "</fieldset>\n";
}

std::string select(std::string_view name, std::string_view legend) {
  return fmt::format(
      "<label class=\"pick\">{} <select id=\"{}\"><option "
      "value=\"\">all</option></select></label>\n",
      legend, name);
}

std::string empty_table(std::string_view id, const std::vector<std::string>& heads) {
  return fmt::format("<div class=\"wide\"><table id=\"{}\">{}<tbody></tbody></table></div>\n", id,
                     html_table_head(heads));
}

std::string controls(const Roofline& roofline, std::size_t chosen) {
  std::vector<std::string> machines;
  for (const HardwareProfile* machine : roofline.hardware) machines.push_back(machine->name);
  return "<nav class=\"controls\" aria-label=\"what is shown\">\n" +
         choice("machine", "machine", machines, chosen) +
         choice("model", "model", {"strict", "catalogue"},
                roofline.model == CostModel::kStrict ? 0 : 1) +
         "<div class=\"picks\">\n" + select("framework", "framework") + select("tp", "TP") +
         select("phase", "phase") +
         "<input id=\"search\" type=\"search\" placeholder=\"operator or shape\" "
         "aria-label=\"operator or shape\">\n</div></nav>\n";
}

std::string plot(const Roofline& roofline, const Roofline& other, std::size_t chosen) {
  const std::array<const Roofline*, 2> both = {&roofline, &other};
  const PlotFrame frame = plot_frame(both);
  std::string body = axes_svg(frame);
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    for (const Roofline* of : both) {
      std::vector<RoofLabel> labels;
      const std::string roof = roof_svg(frame, *of, i, false, labels);
      body += fmt::format("<g class=\"of\" data-machine=\"{}\" data-model=\"{}\"{}>{}</g>\n", i,
                          of->model == CostModel::kStrict ? 0 : 1,
                          i == chosen && of == &roofline ? "" : " display=\"none\"",
                          roof + roof_labels_svg(frame, std::move(labels)));
    }
  }
  if (chosen < roofline.hardware.size()) body += dots_svg(frame, roofline, chosen);
  const auto scale = [](const LogScale& axis) {
    return fmt::format("{} {} {} {}", axis.low, axis.high, axis.from, axis.to);
  };
  return fmt::format(
      "<div class=\"wide\"><svg class=\"plot\" id=\"plot\" viewBox=\"0 54 {:.0f} {:.0f}\" "
      "data-x=\"{}\" data-y=\"{}\" data-bytes=\"{}\" role=\"img\" "
      "aria-label=\"roofline plot\">\n{}{}</svg></div>\n",
      frame.width, frame.height - 54, scale(frame.intensity), scale(frame.flops),
      scale(frame.bytes), plot_legend_svg(roofline), body);
}

std::string formulas(const Roofline& roofline) {
  std::string rows;
  for (const OperatorSummary& summary : roofline.operators) {
    const CostFormula* formula = formula_of(summary.op->name);
    if (!formula) continue;
    rows += "<tr>";
    for (const std::string_view cell :
         {formula->operator_name, formula->work, formula->read, formula->write, formula->strict}) {
      rows += "<td>" + html_text(cell.empty() ? "none" : cell) + "</td>";
    }
    rows += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"wide\"><table class=\"formulas\">{}<tbody>\n{}</tbody></table></div>\n",
      html_table_head({"Operator", "W (catalogue)", "Q read", "Q written",
                       "What the strict model does differently"}),
      rows);
}

std::string section(std::string_view id, std::string_view heading, const std::string& note,
                    const std::string& body) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}{}</section>\n", id, heading,
                     note.empty() ? "" : "<p class=\"quiet\">" + note + "</p>\n", body);
}

std::string list(const std::vector<std::string>& sentences) {
  std::string out = "<ul>\n";
  for (const std::string& sentence : sentences) out += "<li>" + html_text(sentence) + "</li>\n";
  return out + "</ul>\n";
}

std::string header(const Roofline& roofline, const Catalogue& catalogue) {
  std::string lead = fmt::format("{} operators in {} shapes", roofline.operators.size(),
                                 format_count(roofline.rows.size()));
  if (catalogue.profiles) {
    lead += fmt::format(", importance from {} profiles",
                        format_count(static_cast<std::uint64_t>(*catalogue.profiles)));
  }
  lead += fmt::format(", bounds on {} machines", roofline.hardware.size());
  return fmt::format(
      "<header><h1>How far from the speed of light</h1>\n<p class=\"quiet\">{}</p>\n"
      "<noscript><p>The tables need JavaScript; tactus roofline --format md writes them.</p>"
      "</noscript>\n<dl class=\"facts\" id=\"score\"></dl></header>\n",
      html_text(lead));
}

std::string tables(const Roofline& roofline) {
  std::vector<std::string> roofline_heads = {"Operator", "Regime", "#AI", "#T_Prod", "#S"};
  for (const HardwareProfile* machine : roofline.hardware) {
    roofline_heads.push_back("#" + machine->name);
  }
  return section(
             "shapes", "S of every shape",
             "S = T_SOL / T_Prod: 100% is the limit of the machine; for an operator the upper "
             "median of its shapes; AI and times are those of the shape in the middle of its ids. "
             "Click an operator to see its shapes.",
             "<p><button id=\"expand\" type=\"button\">show all shapes</button></p>\n" +
                 empty_table("shape-table", {"Operator and shape", "#Shapes", "#AI", "#T_SOL",
                                             "Limit", "#T_Prod", "#S", "#S with launch"})) +
         section(
             "rooflines", "Roofline",
             "T_SOL = max(W / peak, Q / bandwidth), the least time each machine allows, for the "
             "shape in the middle of the operator's ids. Regime by the upper median of AI: C "
             "above 10 FLOP per byte, I (indexing) below 0.01, else M.",
             empty_table("roofline-table", roofline_heads)) +
         section(
             "operators", "The operators",
             fmt::format("Importance is a share of GPU time; over the whole catalogue it adds up "
                         "to {:.3f}.",
                         roofline.importance_sum),
             empty_table("operator-table", {"Operator", "Id", "dtype", "#Shapes", "#Importance"}));
}

}  // namespace

std::string show_roofline_html(const Roofline& roofline, const Roofline& other,
                               const Catalogue& catalogue) {
  const std::vector<std::size_t> timed = timed_hardware(roofline);
  const std::size_t chosen = timed.empty() ? 0 : timed.front();
  const bool is_strict = roofline.model == CostModel::kStrict;
  std::string body = header(roofline, catalogue) + controls(roofline, chosen);
  body += section("plot-section", "The plot",
                  "One dot per shape, at the measured time of its kernel; hollow dots have no "
                  "measured time on the machine and are at the bound. Area: importance.",
                  plot(roofline, other, chosen));
  body += tables(roofline);
  body +=
      section("formulas", "Formulas", "e is the size of an element in bytes.", formulas(roofline));
  std::vector<std::string> notes = {
      "The catalogue model is the published one: all work is charged to one precision, all tensors "
      "are read and written whole. The strict model counts what any kernel has to move and "
      "compute, "
      "vector work at the rate of the vector units.",
      "Neither includes the launch. S with launch takes max(T_SOL, launch floor) instead of "
      "T_SOL."};
  if (!catalogue.source.empty()) notes.push_back("Catalogue: " + catalogue.source);
  for (const std::string& warning : roofline.warnings) notes.push_back(warning);
  body += section("notes", "Notes", "", list(notes));
  const std::string style = std::string(kPlotStyle) + std::string(kRooflineStyle);
  return page_html({.title = "Roofline: how far from the speed of light",
                    .style = style,
                    .body = std::move(body),
                    .json_id = "data",
                    .json = roofline_page_data(is_strict ? roofline : other,
                                               is_strict ? other : roofline, roofline),
                    .script = kRooflineScript});
}

}  // namespace tactus
