#include "ranks/imbalance.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/median.h"
#include "launches/launch_sites.h"
#include "measure/trace_work.h"
#include "run/event_view.h"

namespace tactus {
namespace {

/// An operator is out of balance if one rank takes this much longer than the median of the ranks,
/// and that shows in the step.
constexpr double kLeastRatio = 1.1;
constexpr double kLeastShareOfStep = 0.002;

/// Numbers operators: by the op that launched, or by the name of the kernel.
class Operators {
 public:
  explicit Operators(const Run& run) : run_(run), names_(run) {}

  std::uint32_t of(std::uint32_t kernel_name, std::uint32_t op_row) {
    const bool has_op = op_row != kNoRow;
    const auto op = has_op ? static_cast<std::uint32_t>(run_.slices.name()[op_row]) : kernel_name;
    const std::uint64_t key = (has_op ? std::uint64_t{1} << 32 : 0) | op;
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(0));
    if (!is_new) return at->second;
    std::string label(run_.strings[StringId(op)]);
    if (!has_op && !names_.of(kernel_name).op.empty()) label = names_.of(kernel_name).op;
    const auto [same, is_new_label] =
        by_label_.try_emplace(label, static_cast<std::uint32_t>(labels_.size()));
    if (is_new_label) labels_.push_back(std::move(label));
    return at->second = same->second;
  }
  bool is_collective(std::uint32_t kernel_name) {
    return names_.of(kernel_name).family == Family::kCollective;
  }
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  const Run& run_;
  DecodedNames names_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::unordered_map<std::string, std::uint32_t> by_label_;
  std::vector<std::string> labels_;
};

}  // namespace

OperatorTimes operator_times(const Run& run, const Cycles& cycles) {
  Operators operators(run);
  std::vector<std::uint32_t> rows;
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut, [](SliceKind kind) { return kind == SliceKind::kKernel; },
      std::array{&slices.name()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const std::int32_t cycle = cycles.cycle_of_slice[row];
        if (cycle < 0 || !cycles.cycles[static_cast<std::size_t>(cycle)].complete) return;
        if (operators.is_collective(static_cast<std::uint32_t>(values[0]))) return;
        rows.push_back(static_cast<std::uint32_t>(row));
      });
  const std::vector<LaunchSite> sites = launch_sites(run, rows);
  OperatorTimes times;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t op =
        operators.of(static_cast<std::uint32_t>(slices.name()[rows[i]]), sites[i].op);
    if (op >= times.ns.size()) times.ns.resize(op + 1, std::vector<double>(run.processes.size()));
    const Cycle& cycle = cycles.cycles[static_cast<std::size_t>(cycles.cycle_of_slice[rows[i]])];
    times.ns[op][cycle.process] += static_cast<double>(slices.dur()[rows[i]]);
  }
  times.names = operators.labels();
  return times;
}

std::vector<ImbalanceRow> find_imbalance(const OperatorTimes& times,
                                         const Measurement& measurement) {
  std::vector<ImbalanceRow> rows;
  if (measurement.ranks.size() < 2) return rows;
  double step_ns = 0;
  for (const RankMeasure& rank : measurement.ranks) {
    double sum = 0;
    for (const MeasuredStep& step : rank.steps) sum += step.ns;
    if (!rank.steps.empty()) {
      step_ns = std::max(step_ns, sum / static_cast<double>(rank.steps.size()));
    }
  }
  for (std::size_t op = 0; op < times.ns.size(); ++op) {
    ImbalanceRow row{.name = times.names[op]};
    for (std::size_t i = 0; i < measurement.ranks.size(); ++i) {
      const auto steps = static_cast<double>(measurement.ranks[i].steps.size());
      row.ns.push_back(steps == 0 ? 0
                                  : static_cast<std::int64_t>(
                                        times.ns[op][measurement.ranks[i].process] / steps + 0.5));
    }
    row.longest_rank =
        static_cast<std::uint32_t>(std::max_element(row.ns.begin(), row.ns.end()) - row.ns.begin());
    std::vector<std::int64_t> others = row.ns;
    others.erase(others.begin() + row.longest_rank);
    row.median_ns = upper_median(std::move(others));
    row.extra_ns = row.ns[row.longest_rank] - row.median_ns;
    const auto extra = static_cast<double>(row.extra_ns);
    const bool is_longer = static_cast<double>(row.ns[row.longest_rank]) >
                           kLeastRatio * static_cast<double>(row.median_ns);
    if (is_longer && extra >= kLeastShareOfStep * step_ns) rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ImbalanceRow& a, const ImbalanceRow& b) {
    return a.extra_ns > b.extra_ns;
  });
  return rows;
}

}  // namespace tactus
