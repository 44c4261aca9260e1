#pragma once

#include <deque>
#include <string>
#include <vector>

#include "watch/report.h"

namespace tactus {

/// One event in a sentence or a few lines, without a line end.
std::string show_watch_event(const watch::WatchEvent& event);
/// The same as one line of JSON, with its line end.
std::string show_watch_event_json(const watch::WatchEvent& event);
/// "2026-11-17 02:14:07.120 UTC"; times that are not since the epoch as "12.345 s".
std::string watch_time_text(std::int64_t time_ns);

/// What a watch comes to, at its end.
std::string show_watch_text(const watch::WatchReport& report, std::size_t width);
std::string show_watch_json(const watch::WatchReport& report);

/// A page for Prometheus (OpenMetrics).
std::string show_watch_metrics(const watch::WatchReport& report);
/// Names of all metrics on that page, without labels.
std::vector<std::string> watch_metric_names();

/// OTLP documents (JSON): an event as a log record, and the accounts as metrics.
std::string show_otlp_log(const watch::WatchEvent& event);
std::string show_otlp_metrics(const watch::WatchReport& report, std::int64_t time_ns);

/// Residuals of the last steps of a stream, for the live chart.
struct LivePoint {
  double residual = 0;
  bool is_judged = false;
  bool is_alarm = false;
};
/// A control chart in characters: the last steps of one stream, one line of state per stream.
/// The value has line ends, and no line is wider than `width`.
std::string show_watch_live(const watch::WatchReport& report,
                            const std::vector<std::deque<LivePoint>>& points, std::size_t width);

}  // namespace tactus
