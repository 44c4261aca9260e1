#include "views/watch/watch_view.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "support/files.h"
#include "support/paths.h"
#include "views/common/json_fields.h"
#include "watch/evaluate/synthetic.h"
#include "watch/sources/metrics_page.h"

namespace tactus {
namespace {

using namespace watch;

/// A watch that saw a slowdown of 20%.
WatchReport sample_report() {
  Watcher watcher({});
  const std::size_t stream = *watcher.stream("process \"7\"", 0);
  std::vector<Step> steps = make_steps(deployments()[0], 3000, 12).steps;
  for (std::size_t i = 2000; i < 2400; ++i) steps[i].dur_us *= 1.2;
  for (const Step& step : steps) watcher.add(stream, step);
  WatchReport report{.source = "run.tact", .streams = {watcher.streams()[0].account()}};
  for (WatchEvent& event : watcher.take_events()) {
    if (event.kind == EventKind::kAlert) report.alerts.push_back(event);
  }
  report.sinks.push_back({"webhook", 1, 2, 3});
  return report;
}

TEST(WatchView, alerts_say_whose_steps_how_much_and_since_when) {
  const WatchReport report = sample_report();
  ASSERT_FALSE(report.alerts.empty());
  const std::string text = show_watch_event(report.alerts.front());
  EXPECT_TRUE(std::regex_search(
      text,
      std::regex(
          "ALERT 1: .* steps of process \"7\" \\(rank 0\\) take 1\\.[12][0-9] times as long as "
          "their work explains \\(1\\.[0-9]+ to 1\\.[0-9]+\\), all at once, since 2023-")))
      << text;
}

TEST(WatchView, json_is_as_its_table_says) {
  const Json document = Json::parse(show_watch_json(sample_report()));
  const Status fits = check_json(document, watch_fields());
  EXPECT_TRUE(fits) << fits.error().message;
  const Json line = Json::parse(show_watch_event_json(sample_report().alerts.front()));
  EXPECT_EQ(line["event"].get<std::string>(), "alert");
}

TEST(WatchView, metrics_are_a_page_that_our_own_reader_understands) {
  const std::string text = show_watch_metrics(sample_report());
  const MetricsPage page = parse_metrics(text);
  EXPECT_EQ(page.bad_lines, 0U);
  EXPECT_TRUE(text.ends_with("# EOF\n"));
  std::set<std::string> found;
  for (const MetricSample& sample : page.samples) found.insert(std::string(sample.name));
  for (const std::string& name : watch_metric_names()) EXPECT_TRUE(found.contains(name)) << name;
  EXPECT_EQ(page.samples.front().labels.front().second, "process \"7\"");
}

TEST(WatchView, every_metric_that_the_dashboard_asks_for_is_exported) {
  const std::string dashboard =
      testing::read_file(std::string(TACTUS_ROOT) + "/data/grafana/tactus-watch.json");
  const Json document = Json::parse(dashboard);
  ASSERT_TRUE(document.is_object());
  EXPECT_GT(document["panels"].size(), 5U);
  const std::vector<std::string> names = watch_metric_names();
  const std::set<std::string> exported(names.begin(), names.end());
  const std::regex metric("tactus_watch_[a-z_]+");
  std::set<std::string> asked;
  for (std::sregex_iterator at(dashboard.begin(), dashboard.end(), metric), end; at != end; ++at) {
    asked.insert(at->str());
  }
  EXPECT_GT(asked.size(), 10U);
  for (const std::string& name : asked) EXPECT_TRUE(exported.contains(name)) << name;
}

TEST(WatchView, otlp_documents_are_json_with_our_names) {
  const WatchReport report = sample_report();
  const Json metrics = Json::parse(show_otlp_metrics(report, 5));
  const Json& first = metrics["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0];
  EXPECT_EQ(first["name"].get<std::string>(), "tactus_watch_steps");
  EXPECT_TRUE(first["sum"]["isMonotonic"].get<bool>());
  EXPECT_EQ(first["sum"]["dataPoints"][0]["timeUnixNano"].get<std::string>(), "5");
  const Json log = Json::parse(show_otlp_log(report.alerts.front()));
  EXPECT_EQ(
      log["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]["severityText"].get<std::string>(),
      "WARN");
}

TEST(WatchView, live_chart_fits_the_terminal) {
  const WatchReport report = sample_report();
  std::deque<LivePoint> points;
  for (int i = 0; i < 300; ++i) points.push_back({0.01 * (i % 30), i % 7 != 0, i % 30 > 20});
  for (const std::size_t width : {40U, 80U, 200U}) {
    const std::string text = show_watch_live(report, {points}, width);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
      std::size_t characters = 0;
      for (std::size_t i = begin; i < end; ++i) characters += (text[i] & 0xC0) != 0x80 ? 1 : 0;
      EXPECT_LE(characters, width);
      begin = end + 1;
    }
  }
}

TEST(WatchView, times_are_those_of_the_day_or_since_the_start_of_a_log) {
  EXPECT_EQ(watch_time_text(1'700'000'000'123'000'000), "2023-11-14 22:13:20.123 UTC");
  EXPECT_EQ(watch_time_text(12'345'000'000), "12.345 s");
}

}  // namespace
}  // namespace tactus
