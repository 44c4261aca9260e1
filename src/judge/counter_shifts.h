#pragma once

#include <array>
#include <string>
#include <vector>

#include "judge/judgement.h"
#include "measure/counter_values.h"

namespace tactus {

/// How far a counter moved in one place.
struct CounterShift {
  std::string counter;
  std::string device;
  std::optional<std::int64_t> rank;
  const CounterFact* fact = nullptr;      ///< null if the table does not know it
  std::array<double, 2> middle = {0, 0};  ///< medians, in the counter's own unit
  std::array<double, 2> mean = {0, 0};
  /// Mean of 1 / value: what lasts as long as a clock is slow follows it.
  std::array<double, 2> slowness = {0, 0};
  Ratio ratio;            ///< with levels near zero damped
  bool is_apart = false;  ///< all samples of one run lie beyond all of the other
  bool is_level = false;  ///< all samples of both runs are alike, so it did not move
  std::optional<double> q;
  std::array<std::size_t, 2> samples = {0, 0};
  std::array<std::optional<double>, 2> coverage;
  double seconds_per_sample = 0;

  /// It moved by chance with less than 5%, all counters considered.
  bool moved() const { return (q && *q < 0.05) || is_apart; }
  /// There are enough samples to say whether it moved.
  bool can_compare() const { return ratio.p || is_apart || is_level; }
};

/// The values of a side: those of its recordings one after the other.
using CounterSide = std::vector<CounterValues>;
void add_counters(CounterSide more, CounterSide& into);

/// `in_units`: values are in the units of the table, as those of traces; patterns are not.
std::vector<CounterShift> counter_shifts(const CounterSide& normal, const CounterSide& abnormal,
                                         bool in_units);

}  // namespace tactus
