#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "watch/episode.h"
#include "watch/level_rule.h"
#include "watch/usual_noise.h"

namespace tactus::watch {

/// Looks at the residuals of one stream, one after another, and says when its steps take longer
/// than their work explains. Memory and time per step do not depend on how many there were.
///
/// Noise is averaged out, a bias of the model is not: so a level is looked for among single steps,
/// with limits that grow with their noise, and among means of as many steps as it takes to bring
/// the noise down to what the rules were made for. A slowdown of 10% is seen in a stream whose
/// steps spread by 6%, only later.
class Detector {
 public:
  explicit Detector(const DetectorRules& rules = {})
      : rules_(rules), noise_(rules), steps_rule_(rules), means_rule_(rules) {}

  /// The usual spread of residuals; below 1.3% changes nothing.
  void set_spread(double spread);
  double scale() const { return scale_; }
  const DetectorRules& rules() const { return rules_; }
  /// What is usual in this stream.
  const UsualNoise& noise() const { return noise_; }

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
  /// A step of a stream that is too noisy to be judged as yet: only its noise is learnt.
  void learn(double residual);
  /// What was usual is not any more: it is learnt again.
  void forget_noise();

  /// The sum over its limit: above 1 is an alarm.
  double level() const { return std::max(steps_rule_.level(), means_level()); }
  bool in_episode() const { return open_.has_value(); }
  /// True if nothing at all is suspicious: the sums are 0 and no long step is in sight.
  bool is_quiet() const {
    return !open_ && steps_rule_.is_zero() && means_rule_.is_zero() &&
           (highs_ & window_mask()) == 0;
  }
  /// The one that is going on, worked out so far.
  std::optional<Episode> episode() const;
  /// The one that ended with the last step; another may have begun with it.
  const std::optional<Episode>& ended() const { return ended_; }
  std::uint64_t steps() const { return steps_; }

 private:
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

  struct Second {  ///< of an alert, or 40 steps if these take longer
    double sum = 0;
    double n = 0;
    double us = 0;
  };

  std::uint64_t window_mask() const { return (std::uint64_t{1} << rules_.high_window) - 1; }
  Place here(const Observation& seen) const {
    return {steps_, seen.start_ns, busy_us_, served_steps_};
  }
  /// Means are of use only where single steps are too noisy.
  bool uses_means() const { return means_rule_.group() > 1; }
  double means_level() const { return uses_means() ? means_rule_.level() : 0; }
  bool is_clear() const {
    return steps_rule_.is_clear() && (!uses_means() || means_rule_.is_clear());
  }
  void follow_noise();
  Alarm judge(const Observation& seen);
  void note_high(const Observation& seen);
  void note_alarm(const Observation& seen, Alarm alarm);
  void note_second(const Observation& seen);
  bool is_other_second();
  bool is_over() const;
  void end();
  const LevelRule& level_of(const Episode& episode) const;
  Episode worked_out() const;
  Shape shape_of(const Episode& episode) const;

  DetectorRules rules_;
  double scale_ = 1;
  UsualNoise noise_;
  LevelRule steps_rule_;
  LevelRule means_rule_;
  std::uint64_t highs_ = 0;  ///< one bit per step, the last one lowest
  std::uint64_t steps_ = 0;
  double busy_us_ = 0;
  double served_steps_ = 0;
  Place open_from_;
  bool steps_had_alarm_ =
      false;             ///< in the open episode, the sum of single steps was above its limit
  double quiet_ = 0;     ///< steps since the last alarm
  double quiet_us_ = 0;  ///< .. and their time
  Second second_;
  Highs long_;
  std::optional<Episode> open_;
  std::optional<Episode> ended_;
};

}  // namespace tactus::watch
