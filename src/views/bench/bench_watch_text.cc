#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "bench/results/compare_results.h"
#include "views/bench/bench_cells.h"
#include "views/bench/bench_view.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

using RowKey = std::pair<std::string, std::string>;

RowKey key_of(const BenchRow& row) {
  return {row.operator_name, row.shape_id};
}

/// What is new about a row, or why it is not right.
std::string news_of(const BenchRow& row, const BenchRow* before, const BenchPair* pair) {
  std::string news;
  if (before != nullptr && before->status != row.status) {
    news = fmt::format("was {}", bench_status_name(before->status));
  }
  if (pair != nullptr) {
    news += fmt::format("{}{}, was {}", news.empty() ? "" : "; ", outcome_name(pair->outcome),
                        bench_time_text(pair->before->t_ns));
  }
  for (const std::string* more : {&row.variant, &row.reason, &row.note}) {
    if (!more->empty()) news += (news.empty() ? "" : "; ") + more->substr(0, more->find('\n'));
  }
  return news;
}

std::string counts_text(const BenchResult& result, const std::array<int, 4>& outcomes) {
  std::string text = bench_score_sentences(result).front();
  bool first = true;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i] == 0) continue;
    text += fmt::format("{}{} {}", first ? " Against the last times: " : ", ", outcomes[i],
                        outcome_name(static_cast<Outcome>(i)));
    first = false;
  }
  return text + (first ? "\n" : ".\n");
}

}  // namespace

std::string bench_watch_text(const BenchResult& result, const WatchedBefore& before,
                             std::size_t width) {
  std::map<RowKey, const BenchRow*> earlier;
  std::map<RowKey, BenchPair> pairs;
  std::array<int, 4> outcomes = {};
  for (const BenchRow& row : before.last.rows) earlier[key_of(row)] = &row;
  for (const BenchPair& pair : compare_results(before.timed, result)) {
    pairs[key_of(*pair.after)] = pair;
    ++outcomes[static_cast<std::size_t>(pair.outcome)];
  }
  TextTable table({"operator", "shape", "result", "time", "S", "news"});
  const bool all_skipped =
      std::all_of(result.rows.begin(), result.rows.end(),
                  [](const BenchRow& row) { return row.status == BenchStatus::kSkipped; });
  for (const BenchRow& row : result.rows) {
    // A candidate has few operators; the others are counted below.
    if (row.status == BenchStatus::kSkipped && !all_skipped) continue;
    const auto old = earlier.find(key_of(row));
    const auto pair = pairs.find(key_of(row));
    table.add({row.operator_name, row.shape_id, std::string(bench_status_name(row.status)),
               bench_time_text(row.t_ns), bench_percent_text(row.s),
               news_of(row, old == earlier.end() ? nullptr : old->second,
                       pair == pairs.end() ? nullptr : &pair->second)});
  }
  return table.to_text(width) + bench_failures_text(result) + counts_text(result, outcomes) + "\n";
}

}  // namespace tactus
