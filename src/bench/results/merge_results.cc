#include "bench/results/merge_results.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/check.h"

namespace tactus {
namespace {

/// Rows of this result take the day of the last one; their rivals keep their own.
void date_rivals(BenchResult& result, const std::string& last_date) {
  for (BenchRow& row : result.rows) {
    if (!row.rival && row.rivals.empty()) continue;
    if (row.rivals_date.empty()) row.rivals_date = result.machine.date;
    if (row.rivals_date == last_date) row.rivals_date.clear();
  }
}

/// A check alone says less than a quick run, and that less than a full one.
int thoroughness(const BenchRow& row) {
  if (row.options.starts_with("check")) return 0;
  return row.options.starts_with("quick") ? 1 : 2;  // older versions did not say
}

}  // namespace

Result<BenchResult> merge_results(std::vector<BenchResult> results) {
  CHECK(!results.empty());
  BenchResult merged;
  merged.machine = results.back().machine;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (BenchResult& result : results) {
    if (result.machine.name != merged.machine.name) {
      return usage_error(
          fmt::format("results of {} and of {}: only results of one machine can be merged",
                      result.machine.name, merged.machine.name));
    }
    if (are_other_cards(result.machine, merged.machine)) merged.machine.card.clear();
    date_rivals(result, merged.machine.date);
    for (BenchRow& row : result.rows) {
      const auto [place, is_new] = places.try_emplace(
          std::tuple(row.operator_name, row.shape_id, row.candidate), merged.rows.size());
      if (is_new) {
        merged.rows.push_back(std::move(row));
        continue;
      }
      BenchRow& earlier = merged.rows[place->second];
      if (row.content == earlier.content && thoroughness(row) < thoroughness(earlier)) continue;
      if (!row.rival && row.rivals.empty()) {
        row.rival = std::move(earlier.rival);
        row.rivals = std::move(earlier.rivals);
        row.rivals_date = std::move(earlier.rivals_date);
      }
      earlier = std::move(row);
    }
  }
  return merged;
}

}  // namespace tactus
