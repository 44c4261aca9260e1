#include "sources/nsys/summary/summary_headerless.h"

#include "sources/nsys/summary/summary_cell.h"

namespace tactus::nsys {
namespace {

constexpr std::string_view kColumnsOfGui =
    "Time\tTotal Time\tInstances\tAvg\tMed\tMin\tMax\tStdDev\tName";

/// A time says its unit, which plain numbers of other tables do not.
bool is_time_with_unit(std::string_view cell) {
  const std::optional<TimeCell> time = read_time(cell, {});
  return time && !time->unknown_unit;
}

}  // namespace

std::optional<SummaryLayout> layout_without_header(std::string_view row) {
  if (!begins_like_row(row)) return std::nullopt;
  std::optional<SummaryLayout> layout = SummaryLayout::from_header(kColumnsOfGui);
  SummaryCells cells(*layout);
  const bool fits = cells.split(row) && cells.complete() &&
                    read_count(cells[SummaryField::kInstances]).has_value() &&
                    is_time_with_unit(cells[SummaryField::kAvg]) &&
                    is_time_with_unit(cells[SummaryField::kStdDev]);
  return fits ? layout : std::nullopt;
}

bool begins_like_row(std::string_view line) {
  const std::size_t share = line.find("%\t");
  if (share == std::string_view::npos || !read_share(line.substr(0, share + 1))) return false;
  line.remove_prefix(share + 2);
  return is_time_with_unit(line.substr(0, line.find('\t')));
}

}  // namespace tactus::nsys
