#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::watch {

/// The constants of the rules, in units of ln(duration / prediction), for steps whose residuals
/// spread by 1.3% around the prediction; a noisier stream has all of them multiplied (Detector).
struct DetectorRules {
  /// What the sum forgives per step. Half of ln 1.1, rounded down: a model that is off by less than
  /// 4% can never raise an alarm, and a slowdown of 10% gains 0.055 per step.
  double slack = 0.04;
  /// One step adds at most 0.12 - 0.04 and takes at most 0.10 + 0.04: two long steps alone are not
  /// a slowdown, and one short step does not hide one.
  double least = -0.10;
  double most = 0.12;
  /// Alarm above, cleared below. 0.15 needs two steps of any size and three of a slowdown of 10%.
  double alarm = 0.15;
  double clear = 0.05;
  /// The sum stays below the limit of an alarm and this: after the end of a slowdown it is clear
  /// within (0.15 + 0.15 - 0.05) / 0.04 = 7 normal steps, however long it was.
  double above = 0.15;
  /// One step that is 22% too long is seen by itself: 15 times the usual spread.
  double spike = 0.20;
  /// Three steps of 40 that are 13% too long come from something that returns: with the spread
  /// above, 13% is 9 times the usual spread, so even with heavy tails of 0.2% three of 40 are rare.
  double high = 0.12;
  int high_steps = 3;
  int high_window = 40;
};

/// The spread of residuals that the rules were made for.
inline constexpr double kRuledSpread = 0.013;

/// What a step counts in a mean of several, if steps spread by `scale` times 1.3%: no more than two
/// spreads, so that a few long steps do not look like a level; they have rules of their own.
double bounded(double residual, double scale);

/// A point in the stream: what came before it.
struct Place {
  std::uint64_t step = 0;
  std::int64_t ns = 0;
  double busy_us = 0;
  double served_steps = 0;
};

/// Sums up by how much steps are too long, one after another or as means of a few, and says when
/// that cannot be noise.
class LevelRule {
 public:
  explicit LevelRule(const DetectorRules& rules) : rules_(rules) {}

  /// Limits for steps that spread by `step_scale` times 1.3%, judged as means of `group` steps that
  /// spread by `scale` times 1.3%. A mean is what counts: its limits are lower than those of a step
  /// by as much as its noise is.
  void set(double step_scale, std::size_t group, double scale);
  /// The sum that is an alarm, for a spread of 1.3%; never less than the one of the rules.
  void set_alarm(double alarm);
  /// `is_open`: an episode goes on, so that steps behind its end are not part of it.
  void add(double residual, const Place& place, bool is_open);
  void reset();

  std::size_t group() const { return group_; }
  double scale() const { return scale_; }
  /// Over its limit: above 1 is an alarm.
  double level() const { return sum_ / (alarm_ * scale_); }
  bool is_alarm() const { return sum_ > alarm_ * scale_; }
  bool is_clear() const { return sum_ < rules_.clear * scale_; }
  bool is_zero() const { return sum_ == 0; }

  /// Where it possibly began.
  const Place& first() const { return sums_.first; }
  double count() const { return sums_.n; }
  /// Most of it was too long, not just a few steps.
  bool is_level() const { return sums_.n > 0 && sums_.above >= 0.5 * sums_.n; }
  /// It began smaller than it is now.
  bool grew() const;
  /// Mean residual since it began, and the variance of that mean.
  struct Estimate {
    double mean = 0;
    double variance = 0;
  };
  Estimate estimate() const;

 private:
  /// What the steps (or means) since the possible beginning add up to.
  struct Sums {
    Place first;
    double n = 0;
    double sum = 0;
    double squares = 0;
    double products = 0;  ///< of neighbours
    double last = 0;
    double early = 0;   ///< sum of the first four
    double recent = 0;  ///< mean of about the last eight
    double above = 0;   ///< those above the slack
  };
  struct Pending {
    Place first;
    std::size_t n = 0;
    double sum = 0;
    double bounded = 0;
  };

  void note(double residual, const Place& place);

  DetectorRules rules_;
  double step_scale_ = 1;
  double scale_ = 1;
  std::size_t group_ = 1;
  double alarm_ = rules_.alarm;
  double sum_ = 0;
  Pending pending_;
  Sums sums_;
};

}  // namespace tactus::watch
