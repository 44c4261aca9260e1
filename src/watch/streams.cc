#include "watch/streams.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace tactus::watch {
namespace {

constexpr std::size_t kMostStreams = 1024;
/// New work is told again only after so many steps without any.
constexpr std::uint64_t kNewWorkApart = 1000;

std::int64_t end_of(const Step& step) {
  return watch::end_of(step.start_ns, step.dur_us);
}

}  // namespace

std::string_view event_kind_name(EventKind kind) {
  switch (kind) {
    case EventKind::kReady: return "ready";
    case EventKind::kTooNoisy: return "too_noisy";
    case EventKind::kNewWork: return "new_work";
    case EventKind::kEpisode: return "episode";
    case EventKind::kAlert: return "alert";
    case EventKind::kAlertEnded: return "alert_ended";
    case EventKind::kExplained: return "explained";
    case EventKind::kKept: break;
  }
  return "kept";
}

StreamWatch::StreamWatch(std::string name, std::optional<std::int64_t> rank,
                         const WatchOptions& options)
    : options_(options) {
  account_.name = std::move(name);
  account_.rank = rank;
}

StreamWatch::Part& StreamWatch::part(ModelKind kind) {
  Part& found = parts_[static_cast<std::size_t>(kind)];
  if (!found.model) {
    found.model = std::make_unique<OnlineModel>(kind, options_.learning, options_.rules);
  }
  return found;
}

const OnlineModel* StreamWatch::model(ModelKind kind) const {
  return parts_[static_cast<std::size_t>(kind)].model.get();
}

WatchEvent StreamWatch::event(EventKind kind, const Part& part, std::int64_t time_ns) const {
  WatchEvent event{.kind = kind, .time_ns = time_ns, .step = account_.steps, .about = {}};
  event.about.stream = account_.name;
  event.about.rank = account_.rank;
  event.about.phase = part.phase;
  event.about.model = part.model->model().kind();
  event.about.predicted_us = part.predicted_us;
  event.about.actual_us = part.actual_us;
  event.learnt = part.model->learnt();
  event.spread = part.model->model().spread();
  return event;
}

void StreamWatch::tell(Part& part, const Step& step, const ScoredStep& scored,
                       std::vector<WatchEvent>& events) {
  const OnlineModel& model = *part.model;
  const std::int64_t now = end_of(step);
  if (!part.said_ready && model.is_ready()) {
    part.said_ready = true;
    events.push_back(event(EventKind::kReady, part, now));
  }
  if (!part.said_noisy && model.is_too_noisy()) {
    part.said_noisy = true;
    events.push_back(event(EventKind::kTooNoisy, part, now));
  }
  if (scored.judged == Judged::kNewWork) {
    if (!part.said_new_work || account_.steps - part.last_new_work > kNewWorkApart) {
      events.push_back(event(EventKind::kNewWork, part, now));
    }
    part.said_new_work = true;
    part.last_new_work = account_.steps;
  }
  const Detector& detector = model.detector();
  if (scored.judged == Judged::kYes && detector.ended()) {
    account_.extra_us += detector.ended()->extra_us;
    if (part.said_alert) {
      WatchEvent over = event(EventKind::kAlertEnded, part, now);
      over.about.episode = *detector.ended();
      over.about.has_ended = true;
      events.push_back(std::move(over));
    }
    part.said_episode = false;
    part.said_alert = false;
  }
  if (scored.alarm != Alarm::kNone) {
    part.predicted_us = scored.predicted_us;
    part.actual_us = step.dur_us;
    Episode episode = *detector.episode();
    if (!part.said_episode) {
      part.said_episode = true;
      ++account_.episodes;
      WatchEvent begun = event(EventKind::kEpisode, part, now);
      begun.about.episode = episode;
      events.push_back(std::move(begun));
    }
    if (!part.said_alert && is_alert(episode)) {
      part.said_alert = true;
      ++account_.alerts;
      WatchEvent raised = event(EventKind::kAlert, part, now);
      raised.about.episode = episode;
      events.push_back(std::move(raised));
    }
  }
}

ScoredStep StreamWatch::add(const Step& step, std::vector<WatchEvent>& events) {
  account_.last_us = step.dur_us;
  account_.total_us += step.dur_us;
  // Logs and metrics have clocks of their own.
  account_.seen_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  const std::optional<ModelKind> kind = kind_of(step);
  if (!kind) {
    ++account_.steps;
    ++account_.unknown_work;
    return {.judged = Judged::kUnknownWork};
  }
  Part& of = part(*kind);
  of.phase = step.phase;
  const ScoredStep scored = of.model->add(step);
  if (scored.judged == Judged::kYes) {
    ++account_.judged;
    account_.predicted_us = scored.predicted_us;
    account_.judged_us += step.dur_us;
    account_.judged_predicted_us += scored.predicted_us;
    account_.ratio = step.dur_us / scored.predicted_us;
    account_.level = of.model->detector().level();
    if (!of.model->detector().in_episode()) {
      account_.error_sum += std::abs(scored.residual);
      ++account_.quiet_judged;
    }
  }
  if (scored.judged == Judged::kNewWork) ++account_.new_work;
  tell(of, step, scored, events);
  ++account_.steps;
  account_.is_ready = account_.is_ready || of.model->is_ready();
  account_.is_too_noisy = of.model->is_too_noisy();
  account_.spread = of.model->model().spread();
  account_.in_episode = false;
  account_.in_alert = false;
  for (const Part& any : parts_) {
    account_.in_episode = account_.in_episode || any.said_episode;
    account_.in_alert = account_.in_alert || any.said_alert;
  }
  return scored;
}

void StreamWatch::learn(const Step& step) {
  if (const std::optional<ModelKind> kind = kind_of(step)) part(*kind).model->learn(step);
}

void StreamWatch::end_of_learning() {
  for (Part& any : parts_) {
    if (!any.model) continue;
    any.model->fit();
    account_.is_ready = account_.is_ready || any.model->is_ready();
    any.said_ready = any.model->is_ready();
  }
}

void StreamWatch::finish(std::vector<WatchEvent>& events) {
  for (Part& any : parts_) {
    if (!any.model) continue;
    const std::optional<Episode> episode = any.model->detector().episode();
    if (!episode) continue;
    account_.extra_us += episode->extra_us;
    if (any.said_alert) {
      // The end of the data is not the end of the slowdown.
      WatchEvent open = event(EventKind::kAlertEnded, any, episode->last_ns);
      open.about.episode = *episode;
      open.about.has_ended = episode->shape == Shape::kStall;
      events.push_back(std::move(open));
    }
    any.said_alert = false;
    any.said_episode = false;
  }
}

std::optional<std::size_t> Watcher::stream(const std::string& name,
                                           std::optional<std::int64_t> rank) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].account().name == name && streams_[i].account().rank == rank) return i;
  }
  if (streams_.size() >= kMostStreams) {
    ++left_out_;
    return std::nullopt;
  }
  streams_.emplace_back(name, rank, options_);
  learn_sound(streams_.back());
  return streams_.size() - 1;
}

void Watcher::learn_sound(StreamWatch& stream) const {
  if (sound_.empty()) return;
  const std::optional<std::int64_t> rank = stream.account().rank;
  const bool has_rank = std::any_of(sound_.begin(), sound_.end(),
                                    [&](const auto& sound) { return sound.first == rank; });
  for (const auto& [of, step] : sound_) {
    if (!has_rank || of == rank) stream.learn(step);
  }
  stream.end_of_learning();
}

ScoredStep Watcher::add(std::size_t stream, const Step& step) {
  return streams_[stream].add(step, events_);
}

void Watcher::finish() {
  for (StreamWatch& stream : streams_) stream.finish(events_);
}

std::vector<WatchEvent> Watcher::take_events() {
  for (WatchEvent& event : events_) {
    if (event.kind == EventKind::kAlert) event.about.number = ++alerts_;
  }
  return std::exchange(events_, {});
}

bool Watcher::is_ready() const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const StreamWatch& stream) { return stream.account().is_ready; });
}

}  // namespace tactus::watch
