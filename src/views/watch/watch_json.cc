#include <cmath>

#include "views/common/json.h"
#include "views/common/json_fields.h"
#include "views/watch/watch_view.h"

namespace tactus {
namespace {

using watch::Alert;
using watch::EventKind;
using watch::StreamAccount;
using watch::WatchEvent;

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// Points in time are texts: they have more digits than a number of JavaScript keeps.
Json time_text(std::int64_t ns) {
  return Json(std::to_string(ns));
}

Json episode_json(const Alert& about) {
  const watch::Episode& episode = about.episode;
  Json out = {{"since_ns", time_text(episode.first_ns)},
              {"noticed_ns", time_text(episode.alarm_ns)},
              {"last_ns", time_text(episode.last_ns)},
              {"first_step", episode.first_step},
              {"noticed_step", episode.alarm_step},
              {"steps", std::llround(episode.served_steps)},
              {"busy_ns", std::llround(episode.busy_us * 1e3)},
              {"extra_ns", std::llround(episode.extra_us * 1e3)},
              {"ratio", std::exp(episode.size)},
              {"low", std::exp(episode.low)},
              {"high", std::exp(episode.high)},
              {"shape", watch::shape_name(episode.shape)},
              {"period_steps", value_or_null(episode.period)}};
  return out;
}

Json event_json(const WatchEvent& event) {
  const Alert& about = event.about;
  Json out = {{"event", watch::event_kind_name(event.kind)},
              {"time_ns", time_text(event.time_ns)},
              {"stream", about.stream},
              {"rank", value_or_null(about.rank)},
              {"phase", phase_name(about.phase)},
              {"model", watch::model_kind_name(about.model)},
              {"step", event.step},
              {"text", show_watch_event(event)}};
  const bool has_causes = event.kind == EventKind::kAlert || event.kind == EventKind::kExplained ||
                          event.kind == EventKind::kKept;
  const bool has_episode =
      has_causes || event.kind == EventKind::kEpisode || event.kind == EventKind::kAlertEnded;
  if (has_episode) {
    out["episode"] = episode_json(about);
    out["ended"] = about.has_ended;
  } else {
    out["learnt"] = event.learnt;
    out["spread"] = event.spread;
  }
  if (has_causes) {
    out["number"] = about.number;
    out["cause"] = text_or_null(about.cause);
    out["verdict"] = text_or_null(about.verdict);
    out["recording"] = text_or_null(about.recording);
    out["normal"] = text_or_null(about.normal);
    out["command"] = text_or_null(about.command);
    out["comparison"] = about.comparison.empty() ? Json(nullptr) : Json::parse(about.comparison);
  }
  return out;
}

Json stream_json(const StreamAccount& stream) {
  return {
      {"stream", stream.name},
      {"rank", value_or_null(stream.rank)},
      {"steps", stream.steps},
      {"judged", stream.judged},
      {"unknown_work", stream.unknown_work},
      {"new_work", stream.new_work},
      {"ready", stream.is_ready},
      {"error", stream.quiet_judged > 0
                    ? finite_or_null(stream.error_sum / static_cast<double>(stream.quiet_judged))
                    : Json(nullptr)},
      {"spread", stream.is_ready ? finite_or_null(stream.spread) : Json(nullptr)},
      {"episodes", stream.episodes},
      {"alerts", stream.alerts},
      {"extra_ns", std::llround(std::max(0.0, stream.extra_us) * 1e3)},
      {"total_ns", std::llround(stream.total_us * 1e3)}};
}

constexpr JsonField kWatchFields[] = {
    {"source", "text", "", "what was watched"},
    {"interrupted", "bool", "", "a signal ended it"},
    {"streams", "list", "", "one entry per process, rank or engine"},
    {"streams[]", "object", "", "one of them", kSometimes},
    {"streams[].stream", "text", "", "its name"},
    {"streams[].rank", "integer?", "", "of the job"},
    {"streams[].steps", "integer", "", "that were seen"},
    {"streams[].judged", "integer", "", "that were compared with a prediction"},
    {"streams[].unknown_work", "integer", "", "whose work is not known well enough to be judged"},
    {"streams[].new_work", "integer", "", "of a size that was never seen before"},
    {"streams[].ready", "bool", "", "it learnt enough to judge"},
    {"streams[].error", "number?", "0..1",
     "mean of |ln(duration / prediction)| outside of episodes"},
    {"streams[].spread", "number?", "0..1", "usual size of it while learning"},
    {"streams[].episodes", "integer", "", "stretches of steps that took too long"},
    {"streams[].alerts", "integer", "", "those that lasted"},
    {"streams[].extra_ns", "integer", "ns", "time that episodes took beyond the prediction"},
    {"streams[].total_ns", "integer", "ns", "time of all steps"},
    {"streams_left_out", "integer", "", "steps of more streams than are watched"},
    {"alerts", "list", "", "in the order of time"},
    {"alerts[]", "object", "", "one of them", kSometimes},
    {"alerts[].event", "text", "",
     "alert; lines of --json-lines also have ready, too_noisy, new_work, "
     "episode, alert_ended, explained and kept"},
    {"alerts[].time_ns", "text", "ns", "when it was raised, since the epoch"},
    {"alerts[].stream", "text", "", "whose steps"},
    {"alerts[].rank", "integer?", "", "of the job"},
    {"alerts[].phase", "text", "", "decode, prefill, mixed or unknown"},
    {"alerts[].model", "text", "", "what predicted: decode, with prompts, or by launches"},
    {"alerts[].step", "integer", "", "number of the step in its stream"},
    {"alerts[].text", "text", "", "all of it in a few sentences"},
    {"alerts[].episode", "object", "", "the slowdown"},
    {"alerts[].episode.since_ns", "text", "ns", "start of its first step, since the epoch"},
    {"alerts[].episode.noticed_ns", "text", "ns", "when the rules noticed it"},
    {"alerts[].episode.last_ns", "text", "ns", "end of the last step with an alarm"},
    {"alerts[].episode.first_step", "integer", "", "of the stream"},
    {"alerts[].episode.noticed_step", "integer", "", "of the stream"},
    {"alerts[].episode.steps", "integer", "", "that it lasted so far"},
    {"alerts[].episode.busy_ns", "integer", "ns", "time of these"},
    {"alerts[].episode.extra_ns", "integer", "ns", "time beyond the prediction"},
    {"alerts[].episode.ratio", "number", "", "duration over prediction"},
    {"alerts[].episode.low", "number", "", "its 95% interval"},
    {"alerts[].episode.high", "number", "", "its 95% interval"},
    {"alerts[].episode.shape", "text", "", "step, ramp, spike, periodic, irregular or stall"},
    {"alerts[].episode.period_steps", "number?", "", "from one long step to the next, if regular"},
    {"alerts[].ended", "bool", "", "it was over when the document was written"},
    {"alerts[].number", "integer", "", "counts the alerts"},
    {"alerts[].cause", "text?", "",
     "class of the verdict, as compare names it; null without a recording, and in the alert of a "
     "process that is watched: the event that follows has it (explained or kept)"},
    {"alerts[].verdict", "text?", "", "its sentence"},
    {"alerts[].recording", "text?", "", "the part of the recording that was kept"},
    {"alerts[].normal", "text?", "", "the steps before it"},
    {"alerts[].command", "text?", "", "to see more"},
    {"alerts[].comparison", "json", "", "the document of compare NORMAL ABNORMAL --json, or null"},
    {"sinks", "list", "", "where events went"},
    {"sinks[]", "object", "", "one of them", kSometimes},
    {"sinks[].name", "text", "", "json_lines, webhook, syslog or otlp"},
    {"sinks[].delivered", "integer", "", "messages"},
    {"sinks[].failed", "integer", "", "messages that could not be delivered"},
    {"sinks[].dropped", "integer", "", "messages that found no room, or no time"},
    {"dropped", "object", "", "always empty: what is left out is in warnings"},
    {"warnings", "list", "", "sentences about the source"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::string show_watch_event_json(const WatchEvent& event) {
  return event_json(event).dump() + "\n";
}

std::string show_watch_json(const watch::WatchReport& report) {
  Json out = {{"source", report.source}, {"interrupted", report.was_interrupted}};
  out["streams"] = Json::array();
  for (const StreamAccount& stream : report.streams) out["streams"].push_back(stream_json(stream));
  out["streams_left_out"] = report.streams_left_out;
  out["alerts"] = Json::array();
  for (const WatchEvent& alert : report.alerts) out["alerts"].push_back(event_json(alert));
  out["sinks"] = Json::array();
  for (const watch::SinkAccount& sink : report.sinks) {
    out["sinks"].push_back({{"name", sink.name},
                            {"delivered", sink.delivered},
                            {"failed", sink.failed},
                            {"dropped", sink.dropped}});
  }
  out["dropped"] = Json::object();
  out["warnings"] = Json(report.notes);
  return to_text(out);
}

std::span<const JsonField> watch_fields() {
  return kWatchFields;
}

}  // namespace tactus
