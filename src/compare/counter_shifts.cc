#include "compare/counter_shifts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/summary.h"
#include "stats/tests.h"

namespace tactus {
namespace {

constexpr std::size_t kLeastSamples = 3;

using Values = std::vector<double>;

const CounterValues* find(const ComparedRun& side, const CounterValues& wanted) {
  for (const CounterValues& levels : side.counters) {
    if (levels.counter == wanted.counter && levels.device == wanted.device) return &levels;
  }
  return nullptr;
}

/// The amount to add before taking a logarithm. Clocks are never near 0. Patterns give memory in
/// their own units, so there only the size of the values can be used.
double floor_of(const CounterFact* fact, bool is_trace, const Values& a, const Values& b) {
  const bool is_clock = fact != nullptr && fact->unit == "MHz";
  const bool is_bytes = fact != nullptr && fact->unit == "bytes";
  double floor = 0;
  if (fact != nullptr && !is_clock && (is_trace || !is_bytes)) {
    floor = fact->floor * (is_trace ? 1 : mu_pct_per_unit(fact->name));
  }
  const double least =
      std::min(*std::min_element(a.begin(), a.end()), *std::min_element(b.begin(), b.end()));
  if (least <= 0) floor = std::max(floor, 0.01 * std::max(median(a), median(b)));
  return least + floor > 0 ? floor : floor - least + 1e-9;
}

Values logs(const Values& values, double floor) {
  Values out;
  for (const double value : values) out.push_back(std::log(value + floor));
  return out;
}

double bound_of(const Shift& shift) {
  if (shift.low > 0) return shift.low;
  if (shift.high < 0) return shift.high;
  return 0;
}

CounterShift shift_of(const CounterValues& normal, const CounterValues& abnormal, bool is_trace) {
  CounterShift shift;
  const std::optional<CounterMatch> match = match_counter(normal.counter);
  shift.fact = match ? match->fact : nullptr;
  shift.row.counter = normal.counter;
  shift.row.device = normal.device;
  shift.row.normal = median(normal.values);
  shift.row.abnormal = median(abnormal.values);
  shift.row.samples = {static_cast<std::int64_t>(normal.values.size()),
                       static_cast<std::int64_t>(abnormal.values.size())};
  shift.row.coverage = {normal.coverage, abnormal.coverage};
  const double floor = floor_of(shift.fact, is_trace, normal.values, abnormal.values);
  const Shift moved = hodges_lehmann(logs(normal.values, floor), logs(abnormal.values, floor));
  shift.row.ratio = std::exp(moved.shift);
  shift.row.low = std::exp(moved.low);
  shift.row.high = std::exp(moved.high);
  shift.bound = bound_of(moved);
  if (normal.values.size() >= kLeastSamples && abnormal.values.size() >= kLeastSamples) {
    shift.row.q = mann_whitney_p(normal.values, abnormal.values);  // becomes q below
  }
  return shift;
}

/// Counters of one family show one thing: they count as one test, with the best p of them.
void correct_for_many(std::vector<CounterShift>& shifts) {
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (!shifts[i].row.q) continue;
    const std::string family(shifts[i].fact != nullptr ? shifts[i].fact->family
                                                       : std::string_view(shifts[i].row.counter));
    families[family + '\n' + shifts[i].row.device].push_back(i);
  }
  std::vector<double> p_values;
  for (const auto& [family, members] : families) {
    double least = 1;
    for (const std::size_t i : members) least = std::min(least, *shifts[i].row.q);
    p_values.push_back(least);
  }
  const std::vector<double> q = benjamini_hochberg(p_values);
  std::size_t next = 0;
  for (const auto& [family, members] : families) {
    for (const std::size_t i : members) {
      // Members that did not move do not share the finding of one that did.
      shifts[i].row.q = std::max(*shifts[i].row.q, q[next]);
    }
    ++next;
  }
}

bool is_cause(const CounterShift& shift, const Thresholds& thresholds) {
  if (shift.fact == nullptr || shift.fact->role != CounterRole::kCause || !shift.row.q)
    return false;
  const double least = std::log(thresholds.counter_moved);
  const bool harmful = (shift.fact->harm == Harm::kUp && shift.bound > least) ||
                       (shift.fact->harm == Harm::kDown && shift.bound < -least);
  return harmful && *shift.row.q < thresholds.false_discovery;
}

}  // namespace

std::vector<CounterShift> counter_shifts(const ComparedRun& normal, const ComparedRun& abnormal,
                                         const Thresholds& thresholds) {
  std::vector<CounterShift> shifts;
  for (const CounterValues& levels : normal.counters) {
    const CounterValues* other = find(abnormal, levels);
    if (other == nullptr || levels.values.empty() || other->values.empty()) continue;
    shifts.push_back(shift_of(levels, *other, normal.is_trace));
  }
  correct_for_many(shifts);
  for (CounterShift& shift : shifts) shift.row.is_cause = is_cause(shift, thresholds);
  std::stable_sort(shifts.begin(), shifts.end(), [](const CounterShift& a, const CounterShift& b) {
    if (a.row.is_cause != b.row.is_cause) return a.row.is_cause;
    return std::abs(a.bound) > std::abs(b.bound);
  });
  return shifts;
}

}  // namespace tactus
