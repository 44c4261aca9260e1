#include "judge/counter_shifts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/summary.h"
#include "stats/tests.h"

namespace tactus {
namespace {

const CounterValues* find(const CounterSide& side, const CounterValues& wanted) {
  for (const CounterValues& values : side) {
    if (values.counter == wanted.counter && values.device == wanted.device) return &values;
  }
  return nullptr;
}

/// The amount to add before taking a logarithm. Clocks are never near 0. Patterns give memory in
/// units of their own, so there only the size of the values can be used.
double floor_of(const CounterFact* fact, bool in_units, const CounterValues& a,
                const CounterValues& b) {
  const bool is_clock = fact != nullptr && fact->unit == "MHz";
  const bool is_bytes = fact != nullptr && fact->unit == "bytes";
  double floor = 0;
  if (fact != nullptr && !is_clock && (in_units || !is_bytes)) {
    floor = fact->floor * (in_units ? 1 : mu_pct_per_unit(fact->name));
  }
  const double least = std::min(*std::min_element(a.values.begin(), a.values.end()),
                                *std::min_element(b.values.begin(), b.values.end()));
  if (least <= 0) floor = std::max(floor, 0.01 * std::max(median(a.values), median(b.values)));
  return least + floor > 0 ? floor : floor - least + 1e-9;
}

std::vector<double> logs(const std::vector<double>& values, double floor) {
  std::vector<double> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(std::log(value + floor));
  return out;
}

/// The chance that so many values of one run all lie beyond all of the other, on either side, if
/// nothing changed: two of the ways to choose those of one run among all.
double chance_of_apart(std::size_t a, std::size_t b) {
  double ways = 1;
  for (std::size_t i = 1; i <= a; ++i) {
    ways *= static_cast<double>(b + i) / static_cast<double>(i);
  }
  return 2 / ways;
}

/// From three values on, a large shift is enough; a smaller one needs as many as make it no chance,
/// and fewer if what it slows has to fit it in size, as with a clock.
bool are_apart(const std::vector<double>& a, const std::vector<double>& b, double ratio,
               bool is_clock) {
  if (a.size() < 3 || b.size() < 3) return false;
  const bool is_large = ratio < 0.67 || ratio > 1.5;
  const double least_chance = is_clock ? 0.05 : 0.01;
  if (!is_large && chance_of_apart(a.size(), b.size()) > least_chance) return false;
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  return *b_low > *a_high || *b_high < *a_low;
}

struct Range {
  double low = 0;
  double high = 0;

  double width() const { return high - low; }
  bool holds(double value) const { return value >= low && value <= high; }
};
Range range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

/// The chance that, of `of` values drawn among `all`, the larger half of them comes first.
double chance_of_half_first(std::size_t of, std::size_t all) {
  double chance = 1;
  for (std::size_t i = 0; i < (of + 1) / 2; ++i) {
    chance *= static_cast<double>(of - i) / static_cast<double>(all - i);
  }
  return chance;
}

/// What a clock was when it was read is no estimate, and how neighbours depend on each other does
/// not matter for what it was: a clock that falls all the time has fallen. What must not be chance
/// is which moments were read.
bool clocks_differ(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kLeastChance = 0.05;
  constexpr double kFarApart = 5;  // t > 7: below 2% for two readings of each run
  constexpr double kStep = 0.006;  // clocks move in steps of 15 MHz and less
  const Range of_a = range_of(a);
  const Range of_b = range_of(b);
  const double middle_a = median(a);
  const double middle_b = median(b);
  const std::size_t all = a.size() + b.size();
  const auto half_is_beyond = [&](double middle, const Range& other, std::size_t of) {
    return !other.holds(middle) && 2 * chance_of_half_first(of, all) < kLeastChance;
  };
  if (half_is_beyond(middle_b, of_a, b.size()) || half_is_beyond(middle_a, of_b, a.size())) {
    return true;
  }
  return std::min(a.size(), b.size()) >= 2 &&
         std::abs(middle_b - middle_a) > kFarApart * std::max({of_a.width(), of_b.width(), kStep});
}

/// All values of both runs lie within 3%, which is the least that a clock has to move to count.
bool are_level(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3 || b.size() < 3) return false;
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  return std::max(*a_high, *b_high) < 1.03 * std::min(*a_low, *b_low);
}

/// Of what is read, not estimated, one reading is enough; most of a run has to be in the new state.
bool states_differ(const std::vector<double>& a, const std::vector<double>& b, double ratio) {
  if (ratio > 0.67 && ratio < 1.5) return false;
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  const double a_middle = median(a);
  const double b_middle = median(b);
  return b_middle > *a_high || b_middle < *a_low || a_middle > *b_high || a_middle < *b_low;
}

CounterShift shift_of(const CounterValues& normal, const CounterValues& abnormal, bool in_units) {
  CounterShift shift{.counter = normal.counter, .device = normal.device, .rank = normal.rank};
  const std::optional<CounterMatch> match = match_counter(normal.counter);
  shift.fact = match ? match->fact : nullptr;
  shift.samples = {normal.values.size(), abnormal.values.size()};
  shift.coverage = {normal.coverage, abnormal.coverage};
  shift.seconds_per_sample = std::max(normal.seconds_per_sample, abnormal.seconds_per_sample);
  const CounterValues* sides[2] = {&normal, &abnormal};
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<double>& values = sides[side]->values;
    shift.middle[side] = median(values);
    double slow = 0;
    for (const double value : values) {
      shift.mean[side] += value / static_cast<double>(values.size());
      slow += value > 0 ? 1 / value : 0;
    }
    shift.slowness[side] = slow / static_cast<double>(values.size());
  }
  const double floor = floor_of(shift.fact, in_units, normal, abnormal);
  const std::vector<double> a = logs(normal.values, floor);
  const std::vector<double> b = logs(abnormal.values, floor);
  const Difference moved = difference(series_mean(a), series_mean(b));
  shift.ratio = {.ratio = std::exp(moved.value), .p = moved.p, .reason = moved.reason};
  if (moved.low) shift.ratio.low = std::exp(*moved.low);
  if (moved.high) shift.ratio.high = std::exp(*moved.high);
  const bool is_state = shift.fact != nullptr && shift.fact->is_state;
  const bool is_clock = shift.fact != nullptr && shift.fact->unit == "MHz";
  shift.is_apart =
      is_state ? states_differ(a, b, shift.ratio.ratio)
               : are_apart(a, b, shift.ratio.ratio, is_clock) || (is_clock && clocks_differ(a, b));
  shift.is_level = are_level(normal.values, abnormal.values);
  shift.q = moved.p;  // corrected below
  return shift;
}

/// Counters of one family show one thing: they count as one test, with the best p of them.
void correct_for_many(std::vector<CounterShift>& shifts) {
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (!shifts[i].q) continue;
    const std::string family(shifts[i].fact != nullptr ? shifts[i].fact->family
                                                       : std::string_view(shifts[i].counter));
    families[family + '\n' + shifts[i].device].push_back(i);
  }
  std::vector<double> p_values;
  for (const auto& [family, members] : families) {
    double least = 1;
    for (const std::size_t i : members) least = std::min(least, *shifts[i].q);
    p_values.push_back(least);
  }
  const std::vector<double> q = benjamini_hochberg(p_values);
  std::size_t next = 0;
  for (const auto& [family, members] : families) {
    // Members that did not move do not share the finding of one that did.
    for (const std::size_t i : members) shifts[i].q = std::max(*shifts[i].q, q[next]);
    ++next;
  }
}

}  // namespace

void add_counters(CounterSide more, CounterSide& into) {
  for (CounterValues& values : more) {
    const auto same = std::find_if(into.begin(), into.end(), [&](const CounterValues& other) {
      return other.counter == values.counter && other.device == values.device;
    });
    if (same == into.end()) {
      into.push_back(std::move(values));
    } else {
      same->values.insert(same->values.end(), values.values.begin(), values.values.end());
      same->times_ns.insert(same->times_ns.end(), values.times_ns.begin(), values.times_ns.end());
    }
  }
}

std::vector<CounterShift> counter_shifts(const CounterSide& normal, const CounterSide& abnormal,
                                         bool in_units) {
  std::vector<CounterShift> shifts;
  for (const CounterValues& values : normal) {
    const CounterValues* other = find(abnormal, values);
    if (other == nullptr || values.values.empty() || other->values.empty()) continue;
    shifts.push_back(shift_of(values, *other, in_units));
  }
  correct_for_many(shifts);
  std::stable_sort(shifts.begin(), shifts.end(), [](const CounterShift& a, const CounterShift& b) {
    return std::abs(std::log(a.ratio.ratio)) > std::abs(std::log(b.ratio.ratio));
  });
  return shifts;
}

}  // namespace tactus
