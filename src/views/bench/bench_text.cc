#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/json.h"
#include "bench/results/compare_results.h"
#include "bench/timing/timing.h"
#include "views/bench/bench_cells.h"
#include "views/bench/bench_view.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

std::string spread_cell(const BenchRow& row) {
  if (!row.t_ns || !row.t_low_ns || !row.t_high_ns || *row.t_ns <= 0) return "-";
  const std::string spread = fmt::format("-{:.1f}/+{:.1f}%", 100 * (1 - *row.t_low_ns / *row.t_ns),
                                         100 * (*row.t_high_ns / *row.t_ns - 1));
  return row.interval_known ? spread : "(" + spread + ")";
}

using ReportRows = std::map<std::pair<std::string, std::string>, const ReportRow*>;

/// Rows that were skipped for the same reason, of which nothing else is known: one line stands for
/// all of them.
class SkippedRows {
 public:
  SkippedRows(const BenchResult& result, const ReportRows& reported) {
    for (const BenchRow& row : result.rows) {
      const bool says_more =
          !row.note.empty() || reported.at({row.operator_name, row.shape_id})->rival;
      if (row.status != BenchStatus::kSkipped || says_more) continue;
      of_reason_[row.reason].push_back(&row);
    }
    std::erase_if(of_reason_, [](const auto& entry) { return entry.second.size() < 2; });
  }

  bool has(const BenchRow& row) const {
    const auto found = of_reason_.find(row.reason);
    return found != of_reason_.end() &&
           std::find(found->second.begin(), found->second.end(), &row) != found->second.end();
  }
  bool is_first(const BenchRow& row) const { return of_reason_.at(row.reason).front() == &row; }

  /// For a table with so many columns.
  std::vector<std::string> cells(const BenchRow& row, std::size_t columns) const {
    const std::vector<const BenchRow*>& rows = of_reason_.at(row.reason);
    std::set<std::string> operators;
    for (const BenchRow* one : rows) operators.insert(one->operator_name);
    std::vector<std::string> out(columns, "-");
    out[0] =
        operators.size() == 1 ? row.operator_name : fmt::format("{} operators", operators.size());
    out[1] = fmt::format("{} shapes", rows.size());
    out[2] = bench_status_name(row.status);
    out.back() = row.reason.substr(0, row.reason.find('\n'));
    return out;
  }

 private:
  std::map<std::string, std::vector<const BenchRow*>> of_reason_;
};

TextTable groups_table(const BenchReport& report, const std::vector<ReportGroup>& groups,
                       const std::string& name) {
  std::vector<std::string> heads = bench_group_heads(report);
  // Counts of shapes and words about rivals go first; S and how rivals compare stay.
  std::vector<int> ranks;
  for (const std::string& head : heads) {
    const bool is_result = head == "S" || head == "vs rival" || head == "right";
    const bool is_long = head.starts_with("most frequent") || head.starts_with("faster");
    ranks.push_back(is_result ? 0 : is_long ? 2 : 1);
  }
  heads.push_back(name);
  ranks.push_back(0);
  TextTable table(heads);
  table.set_ranks(std::move(ranks));
  for (const ReportGroup& group : groups) {
    std::vector<std::string> cells = bench_group_cells(report, group);
    cells.push_back(printable(group.name));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

std::string bench_text(const BenchReport& report, std::size_t width) {
  const BenchResult& result = *report.result;
  ReportRows reported;
  for (const ReportRow& entry : report.rows) {
    reported[{entry.row->operator_name, entry.row->shape_id}] = &entry;
  }
  std::vector<std::string> heads = {"operator", "shape", "result", "time",
                                    "interval", "bound", "S"};
  std::vector<int> ranks = {0, 0, 1, 0, 6, 5, 0};
  if (report.has_rivals) {
    heads.insert(heads.end(), {"best rival", "vs rival"});
    ranks.insert(ranks.end(), {4, 2});
  }
  heads.emplace_back("what");
  ranks.push_back(0);
  TextTable table(heads);
  table.set_ranks(std::move(ranks));
  table.wrap_last();
  SkippedRows skipped(result, reported);
  for (const BenchRow& row : result.rows) {
    const ReportRow& entry = *reported.at({row.operator_name, row.shape_id});
    if (skipped.has(row)) {
      if (skipped.is_first(row)) table.add(skipped.cells(row, heads.size()));
      continue;
    }
    std::string what = row.reason;
    if (what.empty() && entry.shape != nullptr) what = entry.shape->label;
    if (!row.variant.empty()) what.insert(0, row.variant + "; ");
    if (!row.note.empty()) what.insert(0, row.note + "; ");
    std::vector<std::string> cells = {row.operator_name,
                                      row.shape_id,
                                      std::string(bench_status_name(row.status)),
                                      bench_time_text(row.t_ns),
                                      spread_cell(row),
                                      bench_time_text(row.t_sol_ns ? row.t_sol_ns : entry.t_sol_ns),
                                      bench_percent_text(row.s)};
    if (report.has_rivals) {
      cells.push_back(printable(bench_rival_text(entry.rival)));
      cells.push_back(bench_ratio_text(entry.row == &row ? entry.ratio() : std::nullopt));
    }
    cells.push_back(printable(what.substr(0, what.find('\n'))));
    table.add(std::move(cells));
  }
  std::string text = paragraph("", bench_machine_text(result.machine), width, 0) + "\n" +
                     table.to_text(width) + "\n";
  text += bench_failures_text(result);
  text += groups_table(report, report.operators, "operator").to_text(width) + "\n";
  // Of one operator, its family and all of them are the same.
  if (report.operators.size() != 1) {
    std::vector<ReportGroup> families = report.families;
    families.push_back(report.total);
    text += groups_table(report, families, "family").to_text(width) + "\n";
  }
  for (const std::vector<std::string>& sentences :
       {bench_score_sentences(result), bench_meanings(report)}) {
    for (const std::string& sentence : sentences) text += paragraph("", sentence, width, 0);
  }
  return text;
}

std::string bench_comparison_text(const BenchResult& before, const BenchResult& after,
                                  std::size_t width) {
  TextTable table({"operator", "shape", "before", "after", "ratio", "outcome"});
  std::array<int, 4> counts = {};
  for (const BenchPair& pair : compare_results(before, after)) {
    const BenchRow& a = *pair.before;
    const BenchRow& b = *pair.after;
    ++counts[static_cast<std::size_t>(pair.outcome)];
    table.add({b.operator_name, b.shape_id, bench_time_text(a.t_ns), bench_time_text(b.t_ns),
               fmt::format("{:.3f}", *b.t_ns / *a.t_ns), std::string(outcome_name(pair.outcome))});
  }
  std::string text = table.to_text(width) + "\n";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts[i],
                        outcome_name(static_cast<Outcome>(i)));
  }
  return text + ".\n";
}

std::string bench_comparison_json(const BenchResult& before, const BenchResult& after) {
  Json rows = Json::array();
  for (const BenchPair& pair : compare_results(before, after)) {
    const BenchRow& a = *pair.before;
    const BenchRow& b = *pair.after;
    rows.push_back({{"operator", b.operator_name},
                    {"shape", b.shape_id},
                    {"before_ns", *a.t_ns},
                    {"after_ns", *b.t_ns},
                    {"ratio", *b.t_ns / *a.t_ns},
                    {"noise_ns", pair.noise_ns},
                    {"outcome", outcome_name(pair.outcome)}});
  }
  const Json document = {{"pairs", rows}, {"warnings", Json::array()}, {"dropped", Json::object()}};
  return document.dump() + "\n";
}

}  // namespace tactus
