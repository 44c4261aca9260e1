#include <fmt/format.h>

#include "views/bench/bench_cells.h"
#include "views/bench/bench_view.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

std::vector<std::string> escaped(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = markdown_cell(cell);
  return cells;
}

void add_row(std::string& out, const std::vector<std::string>& cells) {
  add_markdown_row(out, escaped(cells));
}

void add_groups(std::string& out, const BenchReport& report, const std::string& name,
                const std::vector<ReportGroup>& groups) {
  std::vector<std::string> heads = bench_group_heads(report);
  heads.insert(heads.begin(), name);
  add_markdown_head(out, escaped(heads));
  for (const ReportGroup& group : groups) {
    std::vector<std::string> cells = bench_group_cells(report, group);
    cells.insert(cells.begin(), group.name);
    add_row(out, cells);
  }
}

std::string what_text(const ReportRow& entry) {
  const std::string& reason = entry.row->reason;
  if (!reason.empty()) return reason.substr(0, reason.find('\n'));
  return entry.shape == nullptr ? "" : entry.shape->label;
}

void add_shapes(std::string& out, const BenchReport& report, const ReportGroup& group) {
  out += fmt::format("\n**{}**\n\n", markdown_cell(group.name));
  std::vector<std::string> heads = {"shape", "result", "time", "bound", "S"};
  if (report.has_rivals) heads.insert(heads.end(), {"best rival", "S rival", "vs rival"});
  heads.emplace_back("what");
  add_markdown_head(out, escaped(heads));
  for (const std::size_t place : group.rows) {
    const ReportRow& entry = report.rows[place];
    std::vector<std::string> cells = {
        "#" + entry.row->shape_id, std::string(bench_status_name(entry.row->status)),
        bench_time_text(entry.t_ns), bench_time_text(entry.t_sol_ns), bench_percent_text(entry.s)};
    if (report.has_rivals) {
      cells.insert(cells.end(), {bench_rival_text(entry.rival), bench_percent_text(entry.rival_s),
                                 bench_ratio_text(entry.ratio())});
    }
    cells.push_back(what_text(entry));
    add_row(out, cells);
  }
}

}  // namespace

std::string bench_markdown(const BenchReport& report) {
  std::string out = markdown_cell(bench_machine_text(report.result->machine)) + ".\n";
  for (const std::string& sentence : bench_score_sentences(*report.result)) out += sentence + "\n";
  out += "\n";
  std::vector<ReportGroup> families = report.families;
  families.push_back(report.total);
  add_groups(out, report, "family", families);
  out += "\n";
  add_groups(out, report, "operator", report.operators);
  out += "\n";
  for (const std::string& sentence : bench_meanings(report)) out += "* " + sentence + "\n";
  out += fmt::format("\n<details><summary>All {} shapes</summary>\n", report.rows.size());
  for (const ReportGroup& group : report.operators) add_shapes(out, report, group);
  return out + "\n</details>\n";
}

}  // namespace tactus
