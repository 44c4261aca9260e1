#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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
  /// The sum stays below: after the end of a slowdown it is clear within (0.30 - 0.05) / 0.04 = 7
  /// normal steps, however long it was.
  double cap = 0.30;
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

/// What raised an alarm.
enum class Alarm : std::uint8_t { kNone, kSum, kSpike, kReturning, kStall };

/// The form of a slowdown in time.
enum class Shape : std::uint8_t { kStep, kRamp, kSpike, kPeriodic, kIrregular, kStall };
std::string_view shape_name(Shape shape);

/// A stretch of steps that are too long.
struct Episode {
  std::uint64_t first_step = 0;  ///< counts the steps of the stream
  std::int64_t first_ns = 0;     ///< when it began
  std::uint64_t alarm_step = 0;  ///< when it was noticed
  std::int64_t alarm_ns = 0;
  std::uint64_t last_step = 0;  ///< the last step with an alarm
  std::int64_t last_ns = 0;     ///< its end
  std::uint64_t alarms = 0;     ///< steps with an alarm
  double busy_us = 0;  ///< of all steps from the first to the last; pauses between them not counted
  double served_steps = 0;  ///< .. and how many steps these stand for
  Alarm by = Alarm::kNone;  ///< what noticed it
  bool has_sum = false;     ///< the sum was above its limit at some time
  double extra_us = 0;      ///< time that its steps took beyond their prediction

  double size = 0;  ///< ln of how many times as long; the next two: its 95% interval
  double low = 0;
  double high = 0;
  Shape shape = Shape::kStep;
  std::optional<double> period;  ///< steps from one long step to the next, if they are regular

  std::uint64_t steps() const { return last_step - first_step + 1; }
};

/// Looks at the residuals of one stream, one after another, and says when its steps take longer
/// than their work explains. Memory and time per step do not depend on how many there were.
class Detector {
 public:
  explicit Detector(const DetectorRules& rules = {}) : rules_(rules) {}

  /// The usual spread of residuals; below 1.3% changes nothing.
  void set_spread(double spread);
  double scale() const { return scale_; }
  const DetectorRules& rules() const { return rules_; }

  struct Observation {
    std::int64_t start_ns = 0;
    double dur_us = 0;
    double predicted_us = 0;
    double residual = 0;  ///< ln(duration / prediction)
    double weight = 1;    ///< steps that it stands for
  };
  /// A step whose work is known and was learnt.
  Alarm add(const Observation& seen);
  /// A step that cannot be judged; nothing changes but its number.
  void skip() { ++steps_; }

  /// The sum over its limit: above 1 is an alarm.
  double level() const { return sum_ / (rules_.alarm * scale_); }
  bool in_episode() const { return open_.has_value(); }
  /// True if nothing at all is suspicious: the sum is 0 and no long step is in sight.
  bool is_quiet() const { return !open_ && sum_ == 0 && (highs_ & window_mask()) == 0; }
  /// The one that is going on, worked out so far.
  std::optional<Episode> episode() const;
  /// The one that ended with the last step.
  const std::optional<Episode>& ended() const { return ended_; }
  std::uint64_t steps() const { return steps_; }

 private:
  /// A point in the stream: what came before it.
  struct Place {
    std::uint64_t step = 0;
    std::int64_t ns = 0;
    double busy_us = 0;
    double served_steps = 0;
  };
  /// What the steps since the possible beginning of an episode add up to.
  struct Sums {
    Place first;
    double n = 0;
    double sum = 0;
    double squares = 0;
    double products = 0;  ///< of neighbours
    double last = 0;
    double early = 0;   ///< sum of the first four
    double recent = 0;  ///< mean of about the last eight
    double above = 0;   ///< steps above the slack
    double extra_us = 0;
  };
  struct Highs {  ///< steps that are long by themselves
    double n = 0;
    double sum = 0;
    double squares = 0;
    Place first;
    std::uint64_t last_step = 0;
    double gaps = 0;
    double gap_sum = 0;
    double least_gap = 0;
  };

  std::uint64_t window_mask() const { return (std::uint64_t{1} << rules_.high_window) - 1; }
  Alarm judge(const Observation& seen);
  void note_high(const Observation& seen);
  void note_sum(const Observation& seen);
  void note_alarm(const Observation& seen, Alarm alarm);
  void end();
  Episode worked_out() const;
  Shape shape_of(const Episode& episode) const;

  DetectorRules rules_;
  double scale_ = 1;
  double sum_ = 0;
  std::uint64_t highs_ = 0;  ///< one bit per step, the last one lowest
  std::uint64_t steps_ = 0;
  double busy_us_ = 0;
  double served_steps_ = 0;
  Place open_from_;
  double quiet_ = 0;  ///< steps since the last alarm
  Sums sums_;
  Highs long_;
  std::optional<Episode> open_;
  std::optional<Episode> ended_;
};

}  // namespace tactus::watch
