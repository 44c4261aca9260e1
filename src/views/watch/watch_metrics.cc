#include <fmt/format.h>

#include <cmath>

#include "views/common/json.h"
#include "views/watch/watch_view.h"

namespace tactus {
namespace {

using watch::StreamAccount;

/// A metric of a stream: the page, the OTLP document and the dashboard go by this table.
struct StreamMetric {
  const char* name;
  bool is_counter;
  const char* unit;
  const char* help;
  double (*value)(const StreamAccount&);
};

constexpr double kNone = NAN;

constexpr StreamMetric kMetrics[] = {
    {"tactus_watch_steps", true, "", "Steps that were seen.",
     [](const StreamAccount& s) { return static_cast<double>(s.steps); }},
    {"tactus_watch_judged_steps", true, "", "Steps that were compared with a prediction.",
     [](const StreamAccount& s) { return static_cast<double>(s.judged); }},
    {"tactus_watch_episodes", true, "", "Stretches of steps that took too long.",
     [](const StreamAccount& s) { return static_cast<double>(s.episodes); }},
    {"tactus_watch_alerts", true, "", "Those that lasted for 200 steps or 10 s, and stalls.",
     [](const StreamAccount& s) { return static_cast<double>(s.alerts); }},
    {"tactus_watch_alert_active", false, "", "1 while an alert is going on.",
     [](const StreamAccount& s) { return s.in_alert ? 1.0 : 0.0; }},
    {"tactus_watch_episode_active", false, "", "1 while steps take too long.",
     [](const StreamAccount& s) { return s.in_episode ? 1.0 : 0.0; }},
    {"tactus_watch_ready", false, "", "1 if enough was learnt to judge.",
     [](const StreamAccount& s) { return s.is_ready ? 1.0 : 0.0; }},
    {"tactus_watch_step_duration_seconds", false, "seconds", "Duration of the last step.",
     [](const StreamAccount& s) { return s.steps > 0 ? s.last_us / 1e6 : kNone; }},
    {"tactus_watch_predicted_duration_seconds", false, "seconds",
     "Predicted duration of the last step that was judged.",
     [](const StreamAccount& s) { return s.judged > 0 ? s.predicted_us / 1e6 : kNone; }},
    {"tactus_watch_duration_ratio", false, "ratio", "Duration over prediction of that step.",
     [](const StreamAccount& s) { return s.judged > 0 ? s.ratio : kNone; }},
    {"tactus_watch_level_ratio", false, "ratio",
     "The sum of what steps took too long, over its limit: above 1 is an alarm.",
     [](const StreamAccount& s) { return s.judged > 0 ? s.level : kNone; }},
    {"tactus_watch_spread_ratio", false, "ratio", "Usual distance of a step from its prediction.",
     [](const StreamAccount& s) { return s.is_ready ? s.spread : kNone; }},
    {"tactus_watch_busy_seconds", true, "seconds", "Duration of all steps.",
     [](const StreamAccount& s) { return s.total_us / 1e6; }},
    {"tactus_watch_judged_seconds", true, "seconds",
     "Duration of the steps that were judged; over the predicted seconds, how slow they were.",
     [](const StreamAccount& s) { return s.judged_us / 1e6; }},
    {"tactus_watch_predicted_seconds", true, "seconds", "What was predicted for these steps.",
     [](const StreamAccount& s) { return s.judged_predicted_us / 1e6; }},
    {"tactus_watch_last_step_timestamp_seconds", false, "seconds",
     "When the last step was seen, in Unix time: if that is long ago, nothing else here is news.",
     [](const StreamAccount& s) {
       return s.steps > 0 ? static_cast<double>(s.seen_ns / 1'000'000) / 1e3 : kNone;
     }},
    {"tactus_watch_lost_seconds", true, "seconds",
     "Time that ended episodes took beyond the prediction.",
     [](const StreamAccount& s) { return std::max(0.0, s.extra_us) / 1e6; }},
};
constexpr const char* kSinkMetric = "tactus_watch_sink_messages";

std::string label_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    out += c;
  }
  return out;
}

std::string labels_of(const StreamAccount& stream) {
  return fmt::format("{{stream=\"{}\",rank=\"{}\"}}", label_text(stream.name),
                     stream.rank ? std::to_string(*stream.rank) : "");
}

Json attribute(std::string key, std::string value) {
  return {{"key", std::move(key)}, {"value", {{"stringValue", std::move(value)}}}};
}

Json resource() {
  return {{"attributes", Json::array({attribute("service.name", "tactus-watch")})}};
}

}  // namespace

std::vector<std::string> watch_metric_names() {
  std::vector<std::string> names;
  for (const StreamMetric& metric : kMetrics) {
    names.push_back(std::string(metric.name) + (metric.is_counter ? "_total" : ""));
  }
  names.push_back(std::string(kSinkMetric) + "_total");
  return names;
}

std::string show_watch_metrics(const watch::WatchReport& report) {
  std::string out;
  for (const StreamMetric& metric : kMetrics) {
    out += fmt::format("# TYPE {} {}\n", metric.name, metric.is_counter ? "counter" : "gauge");
    if (*metric.unit != '\0') out += fmt::format("# UNIT {} {}\n", metric.name, metric.unit);
    out += fmt::format("# HELP {} {}\n", metric.name, metric.help);
    for (const StreamAccount& stream : report.streams) {
      const double value = metric.value(stream);
      if (!std::isfinite(value)) continue;
      out += fmt::format("{}{}{} {}\n", metric.name, metric.is_counter ? "_total" : "",
                         labels_of(stream), value);
    }
  }
  out += fmt::format("# TYPE {} counter\n# HELP {} Messages to sinks, by what became of them.\n",
                     kSinkMetric, kSinkMetric);
  for (const watch::SinkAccount& sink : report.sinks) {
    for (const auto& [result, count] :
         {std::pair("delivered", sink.delivered), std::pair("failed", sink.failed),
          std::pair("dropped", sink.dropped)}) {
      out += fmt::format("{}_total{{sink=\"{}\",result=\"{}\"}} {}\n", kSinkMetric, sink.name,
                         result, count);
    }
  }
  return out + "# EOF\n";
}

std::string show_otlp_metrics(const watch::WatchReport& report, std::int64_t time_ns) {
  Json metrics = Json::array();
  for (const StreamMetric& metric : kMetrics) {
    Json points = Json::array();
    for (const StreamAccount& stream : report.streams) {
      const double value = metric.value(stream);
      if (!std::isfinite(value)) continue;
      points.push_back(
          {{"timeUnixNano", std::to_string(time_ns)},
           {"asDouble", value},
           {"attributes",
            Json::array({attribute("stream", stream.name),
                         attribute("rank", stream.rank ? std::to_string(*stream.rank) : "")})}});
    }
    if (points.empty()) continue;
    Json one = {{"name", metric.name}, {"description", metric.help}, {"unit", metric.unit}};
    if (metric.is_counter) {
      one["sum"] = {{"dataPoints", points}, {"aggregationTemporality", 2}, {"isMonotonic", true}};
    } else {
      one["gauge"] = {{"dataPoints", points}};
    }
    metrics.push_back(std::move(one));
  }
  const Json scope = {{"scope", {{"name", "tactus"}}}, {"metrics", std::move(metrics)}};
  const Json all = {{"resource", resource()}, {"scopeMetrics", Json::array({scope})}};
  return Json{{"resourceMetrics", Json::array({all})}}.dump();
}

std::string show_otlp_log(const watch::WatchEvent& event) {
  constexpr int kWarn = 13;  // severity numbers of OpenTelemetry
  constexpr int kInfo = 9;
  const bool is_alert = event.kind == watch::EventKind::kAlert;
  const Json record = {
      {"timeUnixNano", std::to_string(event.time_ns)},
      {"severityNumber", is_alert ? kWarn : kInfo},
      {"severityText", is_alert ? "WARN" : "INFO"},
      {"body", {{"stringValue", show_watch_event(event)}}},
      {"attributes",
       Json::array({attribute("event", std::string(watch::event_kind_name(event.kind))),
                    attribute("stream", event.about.stream),
                    attribute("tactus.json", show_watch_event_json(event))})}};
  const Json scope = {{"scope", {{"name", "tactus"}}}, {"logRecords", Json::array({record})}};
  const Json all = {{"resource", resource()}, {"scopeLogs", Json::array({scope})}};
  return Json{{"resourceLogs", Json::array({all})}}.dump();
}

}  // namespace tactus
