#include "watch/detector.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "watch/step.h"

namespace tactus::watch {
namespace {

/// A step that is twice as long as it should be, and a second longer: a pause that its user
/// notices.
constexpr double kStallResidual = 0.69;
constexpr double kStallUs = 1e6;
/// How far the mean of a whole job can be off without any fault: 95% of the jobs of the published
/// file lie within 2.7%, which is twice this.
constexpr double kModelBias = 0.014;
/// What is over after so many steps was a spike.
constexpr std::uint64_t kShortSteps = 8;
/// Mean distance of long steps over the least one; of steps that are long by chance it is far more.
constexpr double kRegular = 1.5;

}  // namespace

void Detector::set_spread(double spread) {
  scale_ = std::isfinite(spread) ? std::max(1.0, spread / kRuledSpread) : 1.0;
  noise_.set_step_scale(scale_);
  steps_rule_.set(scale_, 1, scale_);
}

void Detector::forget_noise() {
  noise_ = UsualNoise(rules_);
  noise_.set_step_scale(scale_);
}

/// Limits change only while nothing is suspicious: what was noticed is judged to its end by the
/// limits that it was noticed by.
void Detector::follow_noise() {
  if (open_) return;
  steps_rule_.set_alarm(noise_.alarm_sum());
  if (scale_ <= 1 || !means_rule_.is_zero()) return;
  const UsualNoise::Group& group = noise_.group();
  if (group.steps == 0) return;
  means_rule_.set(scale_, group.steps, std::max(1.0, group.spread / kRuledSpread));
}

Alarm Detector::judge(const Observation& seen) {
  const double r = seen.residual;
  steps_rule_.add(r, here(seen), open_.has_value());
  if (uses_means()) means_rule_.add(r, here(seen), open_.has_value());
  highs_ = highs_ << 1 | (r > rules_.high * scale_ ? 1U : 0U);
  if (r > kStallResidual && seen.dur_us - seen.predicted_us > kStallUs) return Alarm::kStall;
  if (steps_rule_.is_alarm() || (uses_means() && means_rule_.is_alarm())) return Alarm::kSum;
  if (r > std::max(rules_.spike * scale_, noise_.spike_limit())) return Alarm::kSpike;
  // Only a long step raises it, so that an alarm does not last for 40 steps after the last of them.
  if ((highs_ & 1) != 0 && std::popcount(highs_ & window_mask()) >= noise_.high_steps()) {
    return Alarm::kReturning;
  }
  return Alarm::kNone;
}

void Detector::note_high(const Observation& seen) {
  if (long_.n == 0) {
    long_.first = here(seen);
  } else {
    const auto gap = static_cast<double>(steps_ - long_.last_step);
    ++long_.gaps;
    long_.gap_sum += gap;
    long_.least_gap = long_.gaps == 1 ? gap : std::min(long_.least_gap, gap);
  }
  ++long_.n;
  long_.sum += seen.residual;
  long_.squares += seen.residual * seen.residual;
  long_.last_step = steps_;
}

void Detector::note_alarm(const Observation& seen, Alarm alarm) {
  const std::int64_t end_ns = end_of(seen.start_ns, seen.dur_us);
  const bool by_steps = steps_rule_.is_alarm();
  const Place& level_from = by_steps ? steps_rule_.first() : means_rule_.first();
  if (!open_) {
    open_.emplace();
    open_->by = alarm;
    open_from_ = alarm == Alarm::kSum ? level_from : long_.first;
    open_->alarm_step = steps_;
    open_->alarm_ns = end_ns;
    steps_had_alarm_ = false;
  }
  if (alarm == Alarm::kSum) {
    // If a long step noticed it first, it began where the sum did, if that was earlier.
    if (!open_->has_sum && level_from.step < open_from_.step) open_from_ = level_from;
    open_->has_sum = true;
    steps_had_alarm_ = steps_had_alarm_ || by_steps;
  }
  if (alarm == Alarm::kStall) open_->by = Alarm::kStall;
  open_->first_step = open_from_.step;
  open_->first_ns = open_from_.ns;
  open_->busy_us = busy_us_ + seen.dur_us * seen.weight - open_from_.busy_us;
  open_->served_steps = served_steps_ + seen.weight - open_from_.served_steps;
  ++open_->alarms;
  open_->last_step = steps_;
  open_->last_ns = end_ns;
  quiet_ = 0;
  quiet_us_ = 0;
}

/// What the steps of an alert come to, second by second.
void Detector::note_second(const Observation& seen) {
  if (!open_ || !is_alert(*open_)) {
    second_ = {};
    return;
  }
  second_.sum += bounded(seen.residual, scale_) * seen.weight;
  second_.n += seen.weight;
  second_.us += seen.dur_us * seen.weight;
}

/// True if the second that just passed is not what the alert was raised for. Of a level: the
/// typical step is back at what was learnt; long steps that go on are an episode of their own. Of
/// long steps: the typical step is slow now, which they must not hide.
bool Detector::is_other_second() {
  if (second_.n < rules_.high_window || second_.us < kLeastAlertUs) return false;
  const double forgiven = rules_.slack * (uses_means() ? means_rule_.scale() : scale_);
  const bool is_slow = second_.sum / second_.n > forgiven;
  second_ = {};
  const Shape shape = shape_of(*open_);
  const bool is_level = shape == Shape::kStep || shape == Shape::kRamp;
  return shape != Shape::kStall && is_slow != is_level;
}

/// Steps are back for as long as it takes to see that nothing returns; and what somebody was called
/// for is not over before a second is: a level that comes and goes is one alert.
bool Detector::is_over() const {
  return is_clear() && quiet_ >= rules_.high_window &&
         (quiet_us_ >= kLeastAlertUs || !is_alert(*open_));
}

void Detector::end() {
  ended_ = worked_out();
  noise_.end_episode(is_alert(*open_));
  open_.reset();
  steps_rule_.reset();
  means_rule_.reset();
  highs_ = 0;
  long_ = {};
  second_ = {};
}

void Detector::learn(double residual) {
  skip();
  if (std::isfinite(residual)) noise_.add(residual);
  follow_noise();
}

Alarm Detector::add(const Observation& seen) {
  ended_.reset();
  if (!std::isfinite(seen.residual) || !(seen.dur_us > 0)) {
    skip();
    return Alarm::kNone;
  }
  if (is_other_second()) end();
  if (!open_ && (highs_ & window_mask()) == 0) long_ = {};
  const Alarm alarm = judge(seen);
  if ((highs_ & 1) != 0 || alarm == Alarm::kSpike || alarm == Alarm::kStall) note_high(seen);
  if (alarm != Alarm::kNone) note_alarm(seen, alarm);
  if (!open_) {
    noise_.add(seen.residual);
    follow_noise();
  } else {
    noise_.add_in_episode(seen.residual);
    if (alarm != Alarm::kNone || !is_clear()) {
      open_->extra_us += (seen.dur_us - seen.predicted_us) * seen.weight;
    }
    if (alarm == Alarm::kNone) {
      quiet_ += seen.weight;
      quiet_us_ += seen.dur_us * seen.weight;
      if (is_over()) end();
    }
  }
  note_second(seen);
  ++steps_;
  busy_us_ += seen.dur_us * seen.weight;
  served_steps_ += seen.weight;
  return alarm;
}

std::optional<Episode> Detector::episode() const {
  if (!open_) return std::nullopt;
  return worked_out();
}

const LevelRule& Detector::level_of(const Episode& episode) const {
  return episode.has_sum && !steps_had_alarm_ ? means_rule_ : steps_rule_;
}

Shape Detector::shape_of(const Episode& episode) const {
  if (episode.by == Alarm::kStall) return Shape::kStall;
  // Over after a few steps, however these looked while it lasted.
  if (episode.steps() <= kShortSteps && quiet_ >= kShortSteps) return Shape::kSpike;
  const LevelRule& level = level_of(episode);
  if (episode.has_sum && (level.is_level() || long_.n < 2)) {
    return level.grew() ? Shape::kRamp : Shape::kStep;
  }
  const auto stretch = static_cast<double>(long_.last_step - long_.first.step);
  if (long_.n <= 1 || stretch < 2 * long_.n) return Shape::kSpike;
  // Regular: most are as far apart as the nearest two. Some may be missing, because they fell on
  // steps that are not judged.
  const bool is_regular =
      long_.gaps >= 2 && long_.gap_sum <= kRegular * long_.gaps * long_.least_gap;
  return is_regular ? Shape::kPeriodic : Shape::kIrregular;
}

Episode Detector::worked_out() const {
  Episode episode = *open_;
  episode.shape = shape_of(episode);
  const bool by_level = episode.shape == Shape::kStep || episode.shape == Shape::kRamp;
  LevelRule::Estimate size;
  if (by_level) {
    size = level_of(episode).estimate();
  } else {
    const double n = std::max(long_.n, 1.0);
    size.mean = long_.sum / n;
    size.variance = n > 1 ? std::max(0.0, (long_.squares - n * size.mean * size.mean) / (n - 1)) / n
                          : kRuledSpread * kRuledSpread * scale_ * scale_;
  }
  const double half = 1.96 * std::sqrt(size.variance + kModelBias * kModelBias);
  episode.size = size.mean;
  episode.low = size.mean - half;
  episode.high = size.mean + half;
  if (episode.shape == Shape::kPeriodic) episode.period = long_.least_gap;
  return episode;
}

}  // namespace tactus::watch
