#include "views/catalogue/operators_view.h"

#include <fmt/format.h>

#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/roofline/roofline_cells.h"

namespace tactus {

TextTable operators_table(const Catalogue& catalogue) {
  TextTable table({"Importance", "Shapes", "dtype", "Phase", "Id", "Operator"});
  for (const Operator& op : catalogue.operators) {
    table.add({printed_percent(op.importance), std::to_string(op.shapes.size()),
               std::string(number_type_name(op.dtype)), op.phase.empty() ? "unknown" : op.phase,
               printable(op.id), printable(op.name)});
  }
  return table;
}

std::string show_operators(const Catalogue& catalogue, std::size_t width) {
  std::size_t shapes = 0;
  double importance = 0;
  for (const Operator& op : catalogue.operators) {
    shapes += op.shapes.size();
    importance += op.importance;
  }
  std::string out = operators_table(catalogue).to_text(width);
  std::string summary =
      fmt::format("{} operators in {} shapes", catalogue.operators.size(), format_count(shapes));
  if (catalogue.profiles) {
    summary += fmt::format(", from {} profiles",
                           format_count(static_cast<std::uint64_t>(*catalogue.profiles)));
  }
  out += "\n" + paragraph("catalogue", summary, width, 12);
  out += paragraph(
      "importance",
      fmt::format("{} It adds up to {:.3f}.",
                  catalogue.method.empty() ? "Share of GPU time over the "
                                             "profiles, as published; the method was not published."
                                           : printable(catalogue.method),
                  importance),
      width, 12);
  if (!catalogue.source.empty()) {
    out += paragraph("source", printable(catalogue.source), width, 12);
  }
  out += paragraph("next", "tactus roofline OPERATOR shows its shapes and their bounds", width, 12);
  return out;
}

std::string operators_json(const Catalogue& catalogue) {
  Json list = Json::array();
  for (const Operator& op : catalogue.operators) {
    list.push_back({{"name", op.name},
                    {"id", text_or_null(op.id)},
                    {"dtype", number_type_name(op.dtype)},
                    {"importance", op.importance},
                    {"shapes", op.shapes.size()},
                    {"profiles", value_or_null(op.profiles)},
                    {"phase", text_or_null(op.phase)},
                    {"origin", text_or_null(op.origin)}});
  }
  return to_text(list);
}

}  // namespace tactus
