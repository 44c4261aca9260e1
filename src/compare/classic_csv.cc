#include <charconv>
#include <cmath>

#include "base/csv_cell.h"
#include "compare/classic.h"
#include "compare/classic_columns.h"

namespace tactus {
namespace {

/// With six decimals; nothing where there is no number.
void append_number(double value, std::string& out) {
  if (std::isnan(value)) return;
  char text[512];  // the largest double has 309 digits in front of the point
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 6);
  out.append(text, end);
}

}  // namespace

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
      append_number(number.value, out);
    }
    out += '\n';
  }
  return out;
}

}  // namespace tactus
