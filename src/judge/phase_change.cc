#include "judge/phase_change.h"

#include <algorithm>
#include <cmath>

#include "judge/shape.h"
#include "stats/summary.h"
#include "stats/tests.h"

namespace tactus {
namespace {

/// From a difference of logarithms. An interval whose ends are so far apart says nothing.
Ratio ratio_of(const Difference& change) {
  const double kTooWide = std::log(1000);
  Ratio ratio{.ratio = std::exp(change.value), .p = change.p, .reason = change.reason};
  if (change.low && *change.high - *change.low > kTooWide) {
    ratio.reason = NoInterval::kTooNoisy;
    return ratio;
  }
  if (change.low) ratio.low = std::exp(*change.low);
  if (change.high) ratio.high = std::exp(*change.high);
  return ratio;
}

std::vector<double> logs(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

/// The values without a tenth at each end, in the order of time; the same places everywhere.
std::vector<double> trimmed(const std::vector<double>& values) {
  const std::size_t cut = values.size() / 10;
  if (cut == 0) return values;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double low = sorted[cut];
  const double high = sorted[sorted.size() - 1 - cut];
  std::vector<double> kept;
  for (const double value : values) {
    if (value >= low && value <= high) kept.push_back(value);
  }
  return kept;
}

/// All values of one side lie beyond all of the other, and the ratio is large.
bool are_apart(const std::array<std::vector<double>, 2>& x, double ratio) {
  if (x[0].size() < 3 || x[1].size() < 3) return false;
  const auto [a_low, a_high] = std::minmax_element(x[0].begin(), x[0].end());
  const auto [b_low, b_high] = std::minmax_element(x[1].begin(), x[1].end());
  return (ratio > 1.5 && *b_low > *a_high) || (ratio < 0.67 && *b_high < *a_low);
}

bool are_level(const std::array<std::vector<double>, 2>& x) {
  if (x[0].size() < 2 || x[1].size() < 2) return false;
  const auto [a_low, a_high] = std::minmax_element(x[0].begin(), x[0].end());
  const auto [b_low, b_high] = std::minmax_element(x[1].begin(), x[1].end());
  return std::max(*a_high, *b_high) - std::min(*a_low, *b_low) < std::log(1.05);
}

/// The same for parts: from five values on a quarter is enough, and a stray among many is allowed.
bool parts_are_apart(const std::array<std::vector<double>, 2>& x, double ratio) {
  if (are_apart(x, ratio)) return true;
  if (x[0].size() < 5 || x[1].size() < 5 || (ratio > 0.8 && ratio < 1.25)) return false;
  return std::abs(cliffs_delta(x[0], x[1])) >= 0.9;
}

std::optional<double> median_work(const PhaseSamples& samples, std::size_t side,
                                  std::optional<double> StepWork::*field) {
  std::vector<double> values;
  for (std::size_t i = 0; i < samples.size(side); ++i) {
    const std::optional<double>& value = samples.step(side, i).work.*field;
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

/// The mean length and how it changed; its interval is that of the logarithm of the mean.
void add_mean(const PhaseSamples& samples, PhaseChange& change) {
  const std::array<std::vector<double>, 2> lengths = {samples.lengths(0), samples.lengths(1)};
  const std::array<SeriesMean, 2> means = samples.means(lengths);
  change.mean_ns = {means[0].mean, means[1].mean};
  change.mean = ratio_of(samples.compare_logs_of_means(lengths));
}

/// What makes the typical step uncertain makes the mean uncertain, too. A few stalls among steps
/// that are like their neighbours hide that they are, and leave an interval that is too narrow.
void widen_mean(PhaseChange& change) {
  Ratio& mean = change.mean;
  const Ratio& typical = change.typical;
  if (!mean.low || !typical.low) return;
  const double least = std::log(*typical.high / *typical.low);
  const double has = std::log(*mean.high / *mean.low);
  if (has >= least) return;
  mean.low = mean.ratio * std::exp(-least / 2);
  mean.high = mean.ratio * std::exp(least / 2);
  if (!mean.excludes_1() && mean.p && typical.p) mean.p = std::max(*mean.p, *typical.p);
}

/// The change of values per step. Lengths are tested by their logarithms, too: a few long ones
/// would hide all others, as a few that are nearly nothing do among logarithms. The better of the
/// two tests counts, as one of two, if it has the direction of the change itself.
PartChange part_change(const PhaseSamples& samples, Part part,
                       const std::array<std::vector<double>, 2>& values) {
  const std::array<SeriesMean, 2> means = samples.means(values);
  const auto is_positive = [](const std::vector<double>& list) {
    return std::all_of(list.begin(), list.end(), [](double value) { return value > 0; });
  };
  const Difference plain = samples.compare(values);
  std::optional<double> p = plain.p;
  double ratio = means[1].mean / means[0].mean;
  if (is_positive(values[0]) && is_positive(values[1])) {
    const Difference tested = samples.compare({logs(values[0]), logs(values[1])});
    if (tested.value * plain.value > 0) {
      ratio = std::exp(tested.value);
      p = tested.p && plain.p ? std::min(1.0, 2 * std::min(*tested.p, *plain.p)) : tested.p;
    }
  }
  return {.part = part,
          .before_ns = means[0].mean,
          .after_ns = means[1].mean,
          .p = p,
          .is_apart = parts_are_apart(values, ratio)};
}

/// Whether all but some values of each step changed by less than the step did, for certain.
bool is_by_rest(const PhaseSamples& samples, const std::array<std::vector<double>, 2>& values) {
  const std::array<std::vector<double>, 2> steps = {samples.lengths(0), samples.lengths(1)};
  std::array<std::vector<double>, 2> rest = steps;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < rest[side].size(); ++i) rest[side][i] -= values[side][i];
  }
  const Difference of_steps = samples.compare(steps);
  const Difference of_rest = samples.compare(rest);
  if (!of_steps.low || !of_rest.low) return false;
  return *of_steps.low > std::max(0.0, *of_rest.high) ||
         *of_steps.high < std::min(0.0, *of_rest.low);
}

void add_parts(const PhaseSamples& samples, PhaseChange& change) {
  std::array<std::vector<double>, 2> kernels = {std::vector<double>(samples.size(0), 0),
                                                std::vector<double>(samples.size(1), 0)};
  std::array<std::vector<double>, 2> host = kernels;
  for (std::size_t p = 0; p < kParts; ++p) {
    const auto part = static_cast<Part>(p);
    const auto column = [p](const RankMeasure& rank) -> const std::vector<double>& {
      return rank.parts[p];
    };
    const std::array<std::vector<double>, 2> values = {samples.values(0, column),
                                                       samples.values(1, column)};
    const auto is_zero = [](const std::vector<double>& list) {
      return std::all_of(list.begin(), list.end(), [](double value) { return value == 0; });
    };
    if (is_zero(values[0]) && is_zero(values[1])) continue;
    change.parts.push_back(part_change(samples, part, values));
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < values[side].size(); ++i) {
        if (is_compute_part(part)) kernels[side][i] += values[side][i];
        if (is_host_part(part)) host[side][i] += values[side][i];
      }
    }
  }
  change.kernels = part_change(samples, part_of(Family::kOther), kernels);
  change.host = part_change(samples, Part::kHostCode, host);
  change.kernels.is_by_rest = is_by_rest(samples, kernels);
  change.host.is_by_rest = is_by_rest(samples, host);
  std::array<std::vector<double>, 2> over_launch;
  for (std::size_t side = 0; side < 2; ++side) {
    std::size_t at = 0;
    samples.for_each(side, [&](const RankMeasure& rank, std::size_t step) {
      const double ns = host[side][at++];
      const EffortColumns& launches = rank.efforts[static_cast<std::size_t>(Effort::kLaunchCalls)];
      if (launches.count.empty() || !(launches.ns[step] > 0) || !(ns > 0)) return;
      const double each = launches.ns[step] / static_cast<double>(launches.count[step]);
      over_launch[side].push_back(std::log(ns / each));
    });
  }
  change.host_over_launch = ratio_of(samples.compare_some(over_launch));
}

/// Whether nearly all values of one side lie beyond nearly all of the other. Two or fewer may do so
/// by chance.
bool are_apart(std::array<std::vector<float>, 2>& values) {
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kOneIn = 20;  // may lie elsewhere
  if (values[0].size() < kFewest || values[1].size() < kFewest) return false;
  for (std::vector<float>& side : values) std::sort(side.begin(), side.end());
  const auto low = [](const std::vector<float>& side) { return side[side.size() / kOneIn]; };
  const auto high = [](const std::vector<float>& side) {
    return side[side.size() - 1 - side.size() / kOneIn];
  };
  return low(values[0]) > high(values[1]) || low(values[1]) > high(values[0]);
}

void add_effort(Effort effort, const PhaseSamples& samples, PhaseChange& change) {
  EffortChange found{.effort = effort};
  std::array<std::vector<double>, 2> each;
  std::array<std::vector<double>, 2> rate;
  bool any = false;
  bool steady = true;
  std::array<std::vector<float>, 2> counts_of;
  for (std::size_t side = 0; side < 2; ++side) {
    double counts = 0;
    double time = 0;
    double bytes = 0;
    std::optional<float> usual;
    samples.for_each(side, [&](const RankMeasure& rank, std::size_t step) {
      const EffortColumns& columns = rank.efforts[static_cast<std::size_t>(effort)];
      const float count = columns.count.empty() ? 0 : columns.count[step];
      counts += static_cast<double>(count);
      counts_of[side].push_back(count);
      if (usual && *usual != count) steady = false;
      usual = count;
      if (count <= 0) return;
      any = true;
      time += columns.ns[step];
      if (columns.ns[step] > 0) {
        each[side].push_back(std::log(columns.ns[step] / static_cast<double>(count)));
        if (!columns.bytes.empty() && columns.bytes[step] > 0) {
          bytes += columns.bytes[step];
          rate[side].push_back(std::log(columns.bytes[step] / columns.ns[step]));
        }
      }
    });
    found.count[side] = counts / static_cast<double>(samples.size(side));
    found.ns[side] = time / static_cast<double>(samples.size(side));
    found.bytes[side] = bytes / static_cast<double>(samples.size(side));
  }
  if (!any) return;
  found.count_is_steady = steady;
  found.count_is_apart = are_apart(counts_of);
  found.each = ratio_of(samples.compare_some(each));
  found.is_apart = parts_are_apart(each, found.each.ratio);
  found.has_rate = !rate[0].empty() && !rate[1].empty();
  if (found.has_rate) {
    found.rate = ratio_of(samples.compare_some(rate));
    found.rate_is_apart = parts_are_apart(rate, found.rate.ratio);
  }
  change.efforts.push_back(found);
}

/// Steps of each run for an interval of 5% on either side; intervals shrink with the square root.
std::size_t steps_needed(const Ratio& typical, std::size_t steps) {
  constexpr std::size_t kUsual = 100;
  constexpr double kMost = 5000;
  if (!typical.low || !(*typical.low > 0)) return std::max(kUsual, 4 * steps);
  const double width = std::log(*typical.high / *typical.low) / 2 / 0.05;
  const double needed = static_cast<double>(steps) * std::max(1.0, width * width);
  return needed > kMost ? 0 : std::max<std::size_t>(kUsual, static_cast<std::size_t>(needed));
}

/// A jump or a drift makes neighbours so much alike that there is no interval.
void add_shapes(const PhaseSamples& samples, const std::array<std::vector<double>, 2>& x,
                PhaseChange& change) {
  const ShapeOfChange shape = shape_of_change(x[0], x[1]);
  const bool has_changed = change.is_certain() || change.mean.excludes_1();
  if (has_changed || (!change.typical.low && shape.has_levels())) change.shape = shape;
  const ShapeOfChange of_normal = shape_of_change(x[1], x[0]);
  if (of_normal.has_levels()) change.normal_shape = of_normal;
  if (change.shape.has_levels()) change.shape.at_ns = samples.step(1, change.shape.at).start_ns;
  if (change.normal_shape.has_levels()) {
    change.normal_shape.at_ns = samples.step(0, change.normal_shape.at).start_ns;
  }
}

}  // namespace

PhaseChange change_of_phase(const PhaseSamples& samples, PhaseKind phase) {
  PhaseChange change{.phase = phase.phase,
                     .kind = phase.kind,
                     .steps = {samples.size(0), samples.size(1)},
                     .all_steps = {samples.all(0), samples.all(1)},
                     .same_work = samples.same_work(),
                     .growth = samples.growth()};
  const std::array<std::vector<double>, 2> x = {logs(samples.lengths(0)), logs(samples.lengths(1))};
  change.typical = ratio_of(samples.compare(x));
  change.is_same_recording = x[0] == x[1];
  if (change.is_same_recording) {
    // Few steps have no interval, not even these.
    const NoInterval reason = change.typical.reason;
    change.typical = {.ratio = 1, .p = 1};
    if (reason == NoInterval::kTooFew) {
      change.typical.reason = reason;
    } else {
      change.typical.low = change.typical.high = 1;
    }
  }
  change.is_apart = are_apart(x, change.typical.ratio);
  change.is_level = change.is_same_recording || are_level(x);
  change.trimmed = ratio_of(samples.compare_some({trimmed(x[0]), trimmed(x[1])}));
  add_mean(samples, change);
  widen_mean(change);
  if (change.is_same_recording) change.mean = change.typical;
  for (std::size_t side = 0; side < 2; ++side) {
    change.work.tokens[side] = median_work(samples, side, &StepWork::tokens);
    change.work.sequences[side] = median_work(samples, side, &StepWork::sequences);
    change.work.context[side] = median_work(samples, side, &StepWork::context);
  }
  const std::size_t fewer = std::min(x[0].size(), x[1].size());
  const std::size_t needed[] = {steps_needed(change.typical, fewer),
                                steps_needed(change.mean, fewer)};
  change.needed = needed[0] == 0 || needed[1] == 0 ? 0 : std::max(needed[0], needed[1]);
  change.tail_share = std::min(0.99, highest_share(std::min(x[0].size(), x[1].size())));
  change.tail = quantile_ratio(samples.lengths(0), samples.lengths(1), change.tail_share);
  add_shapes(samples, x, change);
  add_parts(samples, change);
  for (std::size_t e = 0; e < kEfforts; ++e) add_effort(static_cast<Effort>(e), samples, change);
  return change;
}

PhaseChange calm_change_of_phase(const PhaseSamples& samples, const PhaseChange& plain) {
  PhaseChange change{.phase = plain.phase,
                     .kind = plain.kind,
                     .steps = plain.steps,
                     .all_steps = plain.all_steps,
                     .is_same_recording = plain.is_same_recording,
                     .same_work = plain.same_work,
                     .normal_share = plain.normal_share,
                     .growth = plain.growth,
                     .work = plain.work};
  change.typical = ratio_of(samples.compare({logs(samples.lengths(0)), logs(samples.lengths(1))}));
  add_mean(samples, change);
  add_parts(samples, change);
  for (std::size_t e = 0; e < kEfforts; ++e) add_effort(static_cast<Effort>(e), samples, change);
  return change;
}

}  // namespace tactus
