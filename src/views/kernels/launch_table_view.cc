#include "views/kernels/launch_table_view.h"

#include <fmt/format.h>

#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {

std::string show_launches(const LaunchTable& table, std::size_t top, std::size_t width) {
  std::string out =
      "Launches, with the time of the host in the call. Times of the device are not in this "
      "recording.\n\n";
  const bool has_lines = table.with_line != 0;
  std::vector<std::string> heads = {"Launches", "Host", "Host avg", "Called at"};
  std::vector<int> ranks = {0, 2, 1, has_lines ? 0 : 9};
  const bool has_ops = table.with_op != 0;
  if (has_ops) {
    heads.emplace_back("Op");
    ranks.push_back(0);
  }
  heads.emplace_back("Kernel");
  ranks.push_back(0);
  TextTable text(heads);
  text.set_ranks(ranks);
  std::size_t shown = 0;
  for (const LaunchRow& row : table.rows) {
    if (top != 0 && shown == top) break;
    ++shown;
    const std::string file = row.line ? row.line->file.substr(row.line->file.rfind('/') + 1) : "";
    std::vector<std::string> cells = {format_count(row.launches), format_duration(row.host_ns),
                                      format_duration(row.host_ns / row.launches),
                                      row.line ? fmt::format("{}:{}", file, row.line->line) : "-"};
    if (has_ops) cells.push_back(row.op.empty() ? "-" : row.op);
    cells.push_back(row.name);
    text.add(cells);
  }
  out += text.to_text(width);
  if (shown < table.rows.size())
    out += fmt::format("{} more rows; --top 0 shows all\n", table.rows.size() - shown);
  out += fmt::format("\n{} launches.", format_count(table.launches));
  if (!has_lines) out += " tactus record --stacks python adds the lines that launch.";
  return out + " tactus record --mode full adds times of kernels; tactus cycles shows the steps.\n";
}

}  // namespace tactus
