#include <cmath>

#include "base/text.h"
#include "classic/classic_report.h"
#include "views/classic/classic_cells.h"
#include "views/classic/classic_view.h"

namespace tactus {

std::string classic_csv(const ClassicReport& report) {
  std::string out;
  for (const std::string& head : classic_heads(report)) {
    out += (out.empty() ? "" : ",") + csv_cell(head);
  }
  out += '\n';
  for (const ClassicRow& row : report.rows) {
    out += csv_cell(row.function) + "," + csv_cell(row.metric) + "," + csv_cell(row.device);
    for (const ClassicNumber& number : classic_numbers(row)) {
      out += ',';
      if (!std::isnan(number.value)) append_fixed(number.value, 6, out);
    }
    out += '\n';
  }
  return out;
}

}  // namespace tactus
