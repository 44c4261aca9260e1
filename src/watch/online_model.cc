#include "watch/online_model.h"

#include <algorithm>
#include <cmath>

namespace tactus::watch {
namespace {

/// Fits become rarer as there is more to learn from, but never rarer than this: the cost per step
/// stays below a microsecond.
constexpr double kFitsApart = 1.5;
constexpr std::uint64_t kMostApart = 4096;
/// Slow change is followed with a memory of 2,000 steps, by at most 2% per hour, while nothing is
/// suspicious: a fault of 4% would need two hours to be taken for normal.
constexpr double kDriftShare = 1.0 / 2000;
constexpr double kDriftPerNs = 0.02 / 3600e9;
/// With this spread the slack is ln 2: what forgives that steps take twice as long is not watching.
/// Steps that are noisier can be judged by their means, if these are not.
const double kTooNoisy = kRuledSpread * std::log(2.0) / DetectorRules{}.slack;
/// Steps after which it is said that no mean is quiet enough: 16 means of 64.
constexpr std::uint64_t kEnoughOfNoise = 1024;

}  // namespace

bool OnlineModel::needs_quieter_means() const {
  if (!model_.is_fitted() || model_.spread() <= kTooNoisy) return false;
  const UsualNoise::Group& group = detector_.noise().group();
  return group.steps == 0 || group.spread > kTooNoisy;
}

bool OnlineModel::is_too_noisy() const {
  return needs_quieter_means() && detector_.noise().seen() >= kEnoughOfNoise;
}

bool OnlineModel::is_ready() const {
  return model_.is_fitted() && memory_.seen() >= options_.ready_after && !needs_quieter_means();
}

void OnlineModel::fit() {
  const std::vector<Step> steps = memory_.steps();
  if (steps.empty()) return;
  model_ = LatencyModel::fit(model_.kind(), steps);
  memory_.note_fit();
  detector_.set_spread(model_.spread());
  ++fits_;
}

void OnlineModel::fit_if_due() {
  const std::uint64_t seen = memory_.seen();
  if (seen < options_.ready_after) return;
  if (seen < next_fit_ && !memory_.has_news()) return;
  fit();
  const auto later = static_cast<std::uint64_t>(static_cast<double>(seen) * kFitsApart);
  next_fit_ = std::min(std::max(next_fit_, later), seen + kMostApart);
}

void OnlineModel::learn(const Step& step) {
  memory_.add(step);
}

void OnlineModel::remember(const Step& step) {
  if (!memory_.add(step)) return;
  // How far steps were off says nothing about the server that it is now.
  if (model_.is_fitted()) fit();
  detector_.forget_noise();
}

void OnlineModel::queue(const Step& step) {
  if (waiting_count_ == kWaiting) {
    remember(waiting_[waiting_from_]);
    waiting_[waiting_from_] = step;
    waiting_from_ = (waiting_from_ + 1) % kWaiting;
    return;
  }
  waiting_[(waiting_from_ + waiting_count_) % kWaiting] = step;
  ++waiting_count_;
}

void OnlineModel::adapt(const Step& step, double residual) {
  mean_residual_ += kDriftShare * (residual - mean_residual_);
  if (adapted_ns_ && step.start_ns > *adapted_ns_) {
    const double room = kDriftPerNs * static_cast<double>(step.start_ns - *adapted_ns_);
    const double move = std::clamp(mean_residual_, -room, room);
    drift_ += move;
    factor_ = std::exp(drift_);
    mean_residual_ -= move;
  }
  adapted_ns_ = step.start_ns;
}

ScoredStep OnlineModel::add(const Step& step) {
  ScoredStep scored;
  // What was learnt is free of slow change, so that it is not followed twice.
  Step level = step;
  level.dur_us = step.dur_us / factor_;
  if (!is_ready()) {
    scored.judged = Judged::kLearning;
    remember(level);
    if (needs_quieter_means() && memory_.is_covered(step)) {
      detector_.learn(model_.residual(level));
    } else {
      detector_.skip();
    }
    fit_if_due();
    return scored;
  }
  // Contexts grow during an episode, too, and nothing is learnt then: their part of the time is
  // extrapolated rather than the slowdown lost from sight.
  if (!memory_.is_covered(step, detector_.in_episode())) {
    scored.judged = Judged::kNewWork;
    detector_.skip();
    remember(level);
    fit_if_due();
    return scored;
  }
  scored.judged = Judged::kYes;
  scored.predicted_us = model_.predict(step) * factor_;
  scored.residual = std::log(step.dur_us / scored.predicted_us);
  scored.alarm = detector_.add({.start_ns = step.start_ns,
                                .dur_us = step.dur_us,
                                .predicted_us = scored.predicted_us,
                                .residual = scored.residual,
                                .weight = step.weight});
  if (scored.alarm != Alarm::kNone || detector_.in_episode()) {
    waiting_count_ = 0;
    adapted_ns_.reset();
    return scored;
  }
  if (detector_.is_quiet()) adapt(step, scored.residual);
  queue(level);
  fit_if_due();
  return scored;
}

}  // namespace tactus::watch
