#include "bench/results/compare_results.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace tactus {
namespace {

std::vector<double> all_of(const BenchResult& result, std::optional<double> BenchRow::*field) {
  std::vector<double> values;
  for (const BenchRow& row : result.rows) {
    if (row.*field) values.push_back(*(row.*field));
  }
  return values;
}

MedianInterval interval_of(const BenchRow& row) {
  return {.median = row.t_ns.value_or(0),
          .low = row.t_low_ns.value_or(0),
          .high = row.t_high_ns.value_or(0),
          .known = row.interval_known};
}

/// What the clocks may be off when two results are compared: what they were off within a process,
/// and what an empty kernel, which is the same in all, took more in one process than in another.
class PairNoise {
 public:
  PairNoise(const BenchResult& before, const BenchResult& after)
      : between_processes_ns_(2 * std::max(spread_of(before), spread_of(after))) {}

  double ns(const BenchRow& a, const BenchRow& b) const {
    double between = between_processes_ns_;
    if (a.launch_floor_ns && b.launch_floor_ns) {
      between = std::max(between, std::abs(*a.launch_floor_ns - *b.launch_floor_ns));
    }
    return a.clock_noise_ns.value_or(0) + b.clock_noise_ns.value_or(0) + between;
  }

 private:
  static double spread_of(const BenchResult& result) {
    return clock_noise(all_of(result, &BenchRow::launch_floor_ns));
  }

  double between_processes_ns_;
};

/// The time of a kernel that is not right says nothing.
bool is_timed(const BenchRow& row) {
  return row.status == BenchStatus::kOk && row.t_ns;
}

}  // namespace

std::vector<BenchPair> compare_results(const BenchResult& before, const BenchResult& after) {
  std::map<std::pair<std::string, std::string>, const BenchRow*> known;
  for (const BenchRow& row : before.rows) known[{row.operator_name, row.shape_id}] = &row;
  const PairNoise noise(before, after);
  std::vector<BenchPair> pairs;
  for (const BenchRow& row : after.rows) {
    const auto found = known.find({row.operator_name, row.shape_id});
    if (found == known.end() || !is_timed(*found->second) || !is_timed(row)) continue;
    const double noise_ns = noise.ns(*found->second, row);
    pairs.push_back(
        {.before = found->second,
         .after = &row,
         .noise_ns = noise_ns,
         .outcome = compare_times(interval_of(*found->second), interval_of(row), noise_ns)});
  }
  return pairs;
}

}  // namespace tactus
