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
/// The first steps of an episode, and the number of steps that its level now is a mean of.
constexpr double kEarlySteps = 4;
constexpr double kRecentSteps = 8;
/// It grew if it began below 60% of its level now, and by more than the noise of four steps.
constexpr double kGrew = 0.6;
constexpr double kLeastGrowth = 0.05;
/// What is over after so many steps was a spike.
constexpr std::uint64_t kShortSteps = 8;
/// Mean distance of long steps over the least one; of steps that are long by chance it is far more.
constexpr double kRegular = 1.5;

}  // namespace

std::string_view shape_name(Shape shape) {
  switch (shape) {
    case Shape::kStep: return "step";
    case Shape::kRamp: return "ramp";
    case Shape::kSpike: return "spike";
    case Shape::kPeriodic: return "periodic";
    case Shape::kIrregular: return "irregular";
    case Shape::kStall: break;
  }
  return "stall";
}

void Detector::set_spread(double spread) {
  scale_ = std::isfinite(spread) ? std::max(1.0, spread / kRuledSpread) : 1.0;
}

Alarm Detector::judge(const Observation& seen) {
  const double r = seen.residual;
  const double slack = rules_.slack * scale_;
  sum_ = std::clamp(sum_ + std::clamp(r, rules_.least * scale_, rules_.most * scale_) - slack, 0.0,
                    rules_.cap * scale_);
  highs_ = highs_ << 1 | (r > rules_.high * scale_ ? 1U : 0U);
  if (r > kStallResidual && seen.dur_us - seen.predicted_us > kStallUs) return Alarm::kStall;
  if (sum_ > rules_.alarm * scale_) return Alarm::kSum;
  if (r > rules_.spike * scale_) return Alarm::kSpike;
  // Only a long step raises it, so that an alarm does not last for 40 steps after the last of them.
  if ((highs_ & 1) != 0 && std::popcount(highs_ & window_mask()) >= rules_.high_steps) {
    return Alarm::kReturning;
  }
  return Alarm::kNone;
}

void Detector::note_high(const Observation& seen) {
  if (long_.n == 0) {
    long_.first = {steps_, seen.start_ns, busy_us_, served_steps_};
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

void Detector::note_sum(const Observation& seen) {
  const double r = seen.residual;
  if (sums_.n == 0) {
    sums_.first = {steps_, seen.start_ns, busy_us_, served_steps_};
    sums_.recent = r;
  } else {
    sums_.products += r * sums_.last;
    sums_.recent += (r - sums_.recent) / std::min(sums_.n + 1, kRecentSteps);
  }
  if (sums_.n < kEarlySteps) sums_.early += r;
  sums_.above += r > rules_.slack * scale_ ? 1 : 0;
  ++sums_.n;
  sums_.sum += r;
  sums_.squares += r * r;
  sums_.last = r;
}

void Detector::note_alarm(const Observation& seen, Alarm alarm) {
  const std::int64_t end_ns = end_of(seen.start_ns, seen.dur_us);
  if (!open_) {
    open_.emplace();
    open_->by = alarm;
    open_from_ = alarm == Alarm::kSum ? sums_.first : long_.first;
    open_->alarm_step = steps_;
    open_->alarm_ns = end_ns;
  }
  if (alarm == Alarm::kSum) {
    // If a long step noticed it first, it began where the sum did, if that was earlier.
    if (!open_->has_sum && sums_.first.step < open_from_.step) open_from_ = sums_.first;
    open_->has_sum = true;
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
}

void Detector::end() {
  ended_ = worked_out();
  open_.reset();
  sums_ = {};
  sum_ = 0;
  highs_ = 0;
  long_ = {};
}

Alarm Detector::add(const Observation& seen) {
  ended_.reset();
  if (!std::isfinite(seen.residual)) {
    skip();
    return Alarm::kNone;
  }
  if (!open_ && sum_ == 0) sums_ = {};
  if (!open_ && (highs_ & window_mask()) == 0) long_ = {};
  const Alarm alarm = judge(seen);
  // Steps after the end of an episode are not part of it.
  if (open_ ? sum_ > rules_.clear * scale_ : sum_ > 0) note_sum(seen);
  if ((highs_ & 1) != 0 || alarm == Alarm::kSpike || alarm == Alarm::kStall) note_high(seen);
  if (alarm != Alarm::kNone) note_alarm(seen, alarm);
  if (open_ && (alarm != Alarm::kNone || sum_ > rules_.clear * scale_)) {
    open_->extra_us += (seen.dur_us - seen.predicted_us) * seen.weight;
  }
  if (open_ && alarm == Alarm::kNone) {
    quiet_ += seen.weight;
    if (sum_ < rules_.clear * scale_ && quiet_ >= rules_.high_window) end();
  }
  ++steps_;
  busy_us_ += seen.dur_us * seen.weight;
  served_steps_ += seen.weight;
  return alarm;
}

std::optional<Episode> Detector::episode() const {
  if (!open_) return std::nullopt;
  return worked_out();
}

Shape Detector::shape_of(const Episode& episode) const {
  if (episode.by == Alarm::kStall) return Shape::kStall;
  // Over after a few steps, however these looked while it lasted.
  if (episode.steps() <= kShortSteps && quiet_ >= kShortSteps) return Shape::kSpike;
  const bool is_level = episode.has_sum && sums_.n > 0 && sums_.above >= 0.5 * sums_.n;
  if (is_level || (episode.has_sum && long_.n < 2)) {
    const double early = sums_.early / std::min(sums_.n, kEarlySteps);
    const bool grew = sums_.n >= 2 * kEarlySteps && early < kGrew * sums_.recent &&
                      sums_.recent - early > kLeastGrowth * scale_;
    return grew ? Shape::kRamp : Shape::kStep;
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
  const bool by_sums = episode.shape == Shape::kStep || episode.shape == Shape::kRamp;
  const double n = by_sums ? sums_.n : std::max(long_.n, 1.0);
  const double mean = (by_sums ? sums_.sum : long_.sum) / n;
  const double variance =
      n > 1 ? std::max(0.0, ((by_sums ? sums_.squares : long_.squares) - n * mean * mean) / (n - 1))
            : kRuledSpread * kRuledSpread * scale_ * scale_;
  double effective = n;
  if (by_sums && n > 4 && variance > 0) {
    // Neighbours are alike, so many steps say less than as many independent ones.
    const double rho = std::clamp((sums_.products / (n - 1) - mean * mean) / variance, 0.0, 0.98);
    effective = std::max(1.0, n * (1 - rho) / (1 + rho));
  }
  const double half = 1.96 * std::sqrt(variance / effective + kModelBias * kModelBias);
  episode.size = mean;
  episode.low = mean - half;
  episode.high = mean + half;
  if (episode.shape == Shape::kPeriodic) episode.period = long_.least_gap;
  return episode;
}

}  // namespace tactus::watch
