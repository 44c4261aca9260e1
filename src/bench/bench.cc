#include "bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bounds/costs/cost.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// Large enough that a call is more than its launch, small enough that all operators take a minute.
constexpr double kQuickBytes = 1 << 20;
constexpr double kQuickFlops = 2e9;

double weight_of(const Shape& shape, const Operator& op) {
  const Result<Cost> cost = cost_of(op.name, shape, CostModel::kStrict);
  if (!cost) return 0;
  return std::max(cost->bytes() / kQuickBytes, cost->flops() / kQuickFlops);
}

/// The smallest shape above the threshold; the largest if all are below.
const Shape* quick_shape(const Operator& op) {
  const Shape* best = nullptr;
  for (const Shape& shape : op.shapes) {
    if (best == nullptr) best = &shape;
    const double now = weight_of(*best, op);
    const double other = weight_of(shape, op);
    const bool better = now >= 1 ? other >= 1 && other < now : other > now;
    if (better) best = &shape;
  }
  return best;
}

bool among(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

/// An error if none of the operators has that shape.
Status check_shape(const Catalogue& catalogue, const std::vector<std::string>& operators,
                   const std::string& id) {
  std::optional<Error> first;
  std::size_t asked = 0;
  for (const Operator& op : catalogue.operators) {
    if (!among(operators, op.name)) continue;
    const Result<const Shape*> shape = find_shape(op, id);
    if (shape) return {};
    if (++asked == 1) first = shape.error();
  }
  if (asked == 1) return *first;
  return usage_error(fmt::format("no operator has a shape {}", id));
}

}  // namespace

Result<std::vector<BenchTask>> plan_bench(const Catalogue& catalogue,
                                          const BenchQuestion& question) {
  std::vector<std::string> names;
  for (const std::string& name : question.operators) {
    const Result<const Operator*> op = find_operator(catalogue, name);
    if (!op) return op.error();
    names.push_back((*op)->name);
  }
  for (const std::string& id : question.shapes) {
    if (const Status known = check_shape(catalogue, names, id); !known) return known.error();
  }
  std::vector<BenchTask> tasks;
  for (const Operator& op : catalogue.operators) {
    if (!among(names, op.name) || op.shapes.empty()) continue;
    if (question.quick && question.shapes.empty()) {
      tasks.push_back({&op, quick_shape(op)});
      continue;
    }
    for (const Shape& shape : op.shapes) {
      if (among(question.shapes, shape.id)) tasks.push_back({&op, &shape});
    }
  }
  if (tasks.empty()) return usage_error("the catalogue has no shapes");
  return tasks;
}

BenchScore bench_score(const Catalogue& catalogue, std::span<const BenchRow> rows) {
  struct OfOperator {
    std::vector<double> s;
    std::vector<double> s_with_launch;
  };
  std::map<std::string, OfOperator> by_operator;
  for (const BenchRow& row : rows) {
    if (row.status == BenchStatus::kSkipped) continue;
    if (row.status == BenchStatus::kOk && !row.s) continue;  // only checked, not timed
    const bool right = row.status == BenchStatus::kOk;
    OfOperator& rows_of = by_operator[row.operator_name];
    rows_of.s.push_back(right ? *row.s : 0);
    rows_of.s_with_launch.push_back(right ? row.s_with_launch.value_or(0) : 0);
  }
  double all = 0;
  double weight = 0;
  double sum = 0;
  double sum_with_launch = 0;
  for (const Operator& op : catalogue.operators) {
    all += op.importance;
    const auto found = by_operator.find(op.name);
    if (found == by_operator.end()) continue;
    weight += op.importance;
    sum += op.importance * median(found->second.s);
    sum_with_launch += op.importance * median(found->second.s_with_launch);
  }
  BenchScore score;
  if (all > 0) score.covered_importance = weight / all;
  if (weight > 0) {
    score.weighted_s = sum / weight;
    score.weighted_s_with_launch = sum_with_launch / weight;
  }
  return score;
}

}  // namespace tactus
