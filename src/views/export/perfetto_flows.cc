#include "views/export/perfetto_flows.h"

namespace tactus {

PerfettoFlows::PerfettoFlows(const Run& run, const std::vector<bool>& is_written) {
  const std::size_t rows = run.slices.size();
  std::vector<std::uint32_t> from_rows, to_rows;
  const auto is_there = [&](std::int64_t row) {
    const auto index = static_cast<std::uint64_t>(row);
    return index < rows && (is_written.empty() || is_written[index]);
  };
  for (std::size_t i = 0; i < run.links.rows; ++i) {
    if (run.links.kind()[i] == static_cast<std::int64_t>(LinkKind::kPythonParent)) continue;
    const std::int64_t from = run.links.from()[i];
    const std::int64_t to = run.links.to()[i];
    if (!is_there(from) || !is_there(to)) continue;
    from_rows.push_back(static_cast<std::uint32_t>(from));
    to_rows.push_back(static_cast<std::uint32_t>(to));
  }
  from_.prepare(rows, from_rows);
  to_.prepare(rows, to_rows);
}

void PerfettoFlows::Ends::prepare(std::size_t rows,
                                  const std::vector<std::uint32_t>& row_of_arrow) {
  if (row_of_arrow.empty()) return;
  first.assign(rows + 1, 0);
  for (const std::uint32_t row : row_of_arrow) ++first[row + 1];
  for (std::size_t row = 0; row < rows; ++row) first[row + 1] += first[row];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  numbers.resize(row_of_arrow.size());
  for (std::size_t arrow = 0; arrow < row_of_arrow.size(); ++arrow) {
    numbers[next[row_of_arrow[arrow]]++] = static_cast<std::uint32_t>(arrow + 1);
  }
}

}  // namespace tactus
