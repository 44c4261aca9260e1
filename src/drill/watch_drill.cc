#include <algorithm>
#include <cmath>

#include "drill/drill.h"
#include "watch/sources/step_source.h"
#include "watch/streams.h"

namespace tactus::drill {
namespace {

/// Where a moment of a drill lies: in an injection, in a rest, or in neither.
class Places {
 public:
  Places(const std::vector<Injected>& injected, std::int64_t origin_ns) {
    for (std::size_t i = 0; i < injected.size(); ++i) {
      if (!injected[i].refused.empty()) continue;
      spans_.push_back({.which = i,
                        .asked_ns = injected[i].asked_ns + origin_ns,
                        .begin_ns = injected[i].begin_ns + origin_ns,
                        .end_ns = injected[i].end_ns + origin_ns});
    }
  }

  struct Span {
    std::size_t which = 0;
    std::int64_t asked_ns = 0;  ///< since the epoch, as the next two
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  const Span* injection_at(std::int64_t time_ns) const {
    for (const Span& span : spans_) {
      if (time_ns >= span.begin_ns && time_ns <= span.end_ns) return &span;
    }
    return nullptr;
  }
  bool in_rest(std::int64_t time_ns) const {
    return std::none_of(spans_.begin(), spans_.end(), [&](const Span& span) {
      return time_ns >= span.asked_ns && time_ns <= span.end_ns + kSettle;
    });
  }

 private:
  std::vector<Span> spans_;
};

class DrillWatch {
 public:
  DrillWatch(const std::vector<Injected>& injected, std::int64_t origin_ns)
      : places_(injected, origin_ns), origin_ns_(origin_ns), steps_(injected.size(), 0) {
    found_.of.resize(injected.size());
  }

  WatchedDrill watch(watch::StepSource& source) {
    std::vector<watch::SourcedStep> steps;
    if (!source.poll(steps)) return std::move(found_);
    for (const watch::SourcedStep& of : steps) {
      const watch::StepSource::Stream& stream = source.streams()[of.stream];
      if (const auto index = watcher_.stream(stream.name, stream.rank)) add(*index, of.step);
    }
    found_.rests.is_ready = watcher_.is_ready();
    return std::move(found_);
  }

 private:
  /// A load is no lesson: a server that is watched ran before its first fault, and a drill gives it
  /// the rests for that.
  bool is_lesson(std::size_t stream, const watch::Step& step) const {
    const std::optional<watch::ModelKind> kind = watch::kind_of(step);
    if (!kind) return false;
    const watch::OnlineModel* model = watcher_.streams()[stream].model(*kind);
    return model == nullptr || !model->is_ready();
  }

  void add(std::size_t stream, const watch::Step& step) {
    if (const Places::Span* during = places_.injection_at(step.start_ns);
        during != nullptr && is_lesson(stream, step)) {
      ++steps_[during->which];
      return;
    }
    const watch::ScoredStep scored = watcher_.add(stream, step);
    const std::vector<watch::WatchEvent> events = watcher_.take_events();
    const auto is = [&](watch::EventKind kind) {
      return std::any_of(events.begin(), events.end(),
                         [&](const watch::WatchEvent& event) { return event.kind == kind; });
    };
    opened_ns_.resize(std::max(opened_ns_.size(), stream + 1), 0);
    const bool is_new = is(watch::EventKind::kEpisode);
    if (is_new) opened_ns_[stream] = step.start_ns;
    const bool is_judged = scored.judged == watch::Judged::kYes;
    const Places::Span* during = places_.injection_at(step.start_ns);
    if (during != nullptr) {
      Detection& detection = found_.of[during->which];
      detection.judged += is_judged ? 1 : 0;
      const bool is_alert = is(watch::EventKind::kAlert);
      if (steps_[during->which]++ == 0) {
        detection.was_open = watcher_.streams()[stream].account().in_alert && !is_alert;
      }
      const double after =
          static_cast<double>(watch::end_of(step.start_ns, step.dur_us) - during->begin_ns) / 1e9;
      if (is_alert && !detection.alert_s) detection.alert_s = after;
      // An alarm of an episode that was open before the injector was started says nothing about it;
      // that it becomes an alert does.
      const bool is_own = opened_ns_[stream] >= during->asked_ns;
      if (detection.steps || !(is_alert || (is_own && scored.alarm != watch::Alarm::kNone))) return;
      detection.steps = steps_[during->which];
      detection.seconds = after;
    } else if (places_.in_rest(step.start_ns)) {
      found_.rests.judged += is_judged ? 1 : 0;
      found_.rests.episodes += is_new ? 1 : 0;
      const bool is_own = places_.in_rest(opened_ns_[stream]);
      for (const watch::WatchEvent& event : events) {
        if (!is_own || event.kind != watch::EventKind::kAlert) continue;
        const watch::Episode& episode = event.about.episode;
        found_.rests.alerts.push_back({.since_ns = episode.first_ns - origin_ns_,
                                       .called_ns = event.time_ns - origin_ns_,
                                       .ratio = {.ratio = std::exp(episode.size),
                                                 .low = std::exp(episode.low),
                                                 .high = std::exp(episode.high)}});
      }
    }
  }

  Places places_;
  std::int64_t origin_ns_;
  watch::Watcher watcher_{watch::WatchOptions{}};
  WatchedDrill found_;
  std::vector<std::size_t> steps_;       ///< so far, by injection
  std::vector<std::int64_t> opened_ns_;  ///< when the last episode of a stream was noticed
};

}  // namespace

WatchedDrill watch_drill(const Run& run, const Cycles& cycles,
                         const std::vector<Injected>& injected) {
  return DrillWatch(injected, run.origin_ns).watch(*watch::run_source(run, cycles));
}

}  // namespace tactus::drill
