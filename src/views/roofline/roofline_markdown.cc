#include <fmt/format.h>

#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/roofline/roofline_cells.h"
#include "views/roofline/roofline_view.h"

namespace tactus {
namespace {

std::string head_of(std::string_view what, const Roofline& roofline, std::size_t hardware) {
  return fmt::format("{}({})", what, markdown_cell(roofline.hardware[hardware]->name));
}

void add_catalogue(std::string& out, const Roofline& roofline, const Catalogue& catalogue) {
  out += fmt::format("{} operators in {} shapes", roofline.operators.size(),
                     format_count(roofline.rows.size()));
  if (catalogue.profiles) {
    out += fmt::format(", importance from {} profiles",
                       format_count(static_cast<std::uint64_t>(*catalogue.profiles)));
  }
  out += fmt::format(", bounds on {} machines.\n\n", roofline.hardware.size());
  add_markdown_head(out, {"Operator", "dtype", "Shapes", "Importance"});
  for (const OperatorSummary& summary : roofline.operators) {
    const Operator& op = *summary.op;
    add_markdown_row(out, {markdown_cell(op.name + (op.id.empty() ? "" : " " + op.id)),
                           markdown_cell(number_type_name(op.dtype)), std::to_string(summary.rows),
                           printed_percent(op.importance)});
  }
}

void add_rooflines(std::string& out, const Roofline& roofline,
                   const std::vector<std::size_t>& timed) {
  std::vector<std::string> heads = {"Operator", "Regime", "AI"};
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    heads.push_back(head_of("T_SOL", roofline, i));
  }
  for (const std::size_t i : timed) heads.push_back(head_of("T_Prod", roofline, i));
  add_markdown_head(out, heads);
  for (const OperatorSummary& summary : roofline.operators) {
    const RooflineRow& row = roofline.rows[summary.middle_row];
    std::vector<std::string> cells = {markdown_cell(summary.op->name),
                                      std::string(1, static_cast<char>(summary.regime)),
                                      intensity_text(row.ai)};
    for (const ShapeOnHardware& on : row.on) cells.push_back(bound_text(on));
    for (const std::size_t i : timed) cells.push_back(deployed_text(row.on[i]));
    add_markdown_row(out, cells);
  }
  out +=
      "\nT_SOL: the least time the machine allows, max(W / peak, Q / bandwidth). T_Prod: of the "
      "deployed kernel. AI, T_SOL and T_Prod are those of the shape in the middle of the "
      "operator's ids. Regime by the upper median of AI over the operator's shapes: C above 10 "
      "FLOP per byte, I (indexing) below 0.01, else M.\n";
}

void add_shapes(std::string& out, const Roofline& roofline, const std::vector<std::size_t>& timed) {
  std::vector<std::string> heads = {"Operator", "Shapes"};
  for (const std::size_t i : timed) heads.push_back(head_of("S", roofline, i));
  add_markdown_head(out, heads);
  for (const OperatorSummary* summary : by_ascending_s(roofline, timed.front())) {
    std::vector<std::string> cells = {"**" + markdown_cell(summary->op->name) + "**",
                                      std::to_string(summary->rows)};
    for (const std::size_t i : timed)
      cells.push_back(printed_percent(summary->median_s_printed[i]));
    add_markdown_row(out, cells);
    for (std::size_t i = 0; i < summary->rows; ++i) {
      const RooflineRow& row = roofline.rows[summary->first_row + i];
      cells = {markdown_cell(fmt::format("#{} {}", row.shape->id, row.shape->label)), ""};
      for (const std::size_t machine : timed) {
        cells.push_back(printed_percent(row.on[machine].s_printed));
      }
      add_markdown_row(out, cells);
    }
  }
  out += "\nS = T_SOL / T_Prod; for an operator the upper median of its shapes.\n";
}

}  // namespace

std::string show_roofline_markdown(const Roofline& roofline, const Catalogue& catalogue) {
  const std::vector<std::size_t> timed = timed_hardware(roofline);
  std::string out = "# Bounds\n\n";
  add_catalogue(out, roofline, catalogue);
  out += fmt::format("\n## Roofline ({} model)\n\n", model_name(roofline.model));
  add_rooflines(out, roofline, timed);
  out += "\n## S of every shape\n\n";
  if (timed.empty()) {
    out += "No times are known for these machines; --baseline FILE adds some.\n";
  } else {
    add_shapes(out, roofline, timed);
    out += "\n";
    for (const std::string& sentence : score_sentences(roofline)) {
      out += "* " + markdown_cell(sentence) + "\n";
    }
  }
  if (!roofline.warnings.empty()) out += "\n## Warnings\n\n";
  for (const std::string& warning : roofline.warnings) out += "* " + markdown_cell(warning) + "\n";
  return out;
}

}  // namespace tactus
