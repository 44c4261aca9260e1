#include "cli/commands/watch/watch_session.h"

#include <poll.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>

#include "cli/terminal.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kChartSteps = 240;
constexpr std::int64_t kDrawNs = 250'000'000;
constexpr std::int64_t kRefreshNs = 500'000'000;
constexpr std::int64_t kOtlpNs = 10'000'000'000;
/// Of episodes, a person is told one per 10 s; programs get all of them.
constexpr std::int64_t kEpisodesApartNs = 10'000'000'000;
constexpr std::size_t kAlertsListed = 10'000;
constexpr std::chrono::seconds kLastDelivery{3};
constexpr std::chrono::seconds kLastComparison{10};

std::atomic<bool> is_session_interrupted = false;

extern "C" void on_session_interrupt(int) {
  is_session_interrupted = true;
}

/// Ctrl-C and SIGTERM end the watch, not the process, while this lives.
class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = on_session_interrupt;
    ::sigaction(SIGINT, &action, &interrupt_before_);
    ::sigaction(SIGTERM, &action, &end_before_);
    struct sigaction ignore {};
    ignore.sa_handler =
        SIG_IGN;  // a reader of --json-lines - that goes away is an error of that sink
    ::sigaction(SIGPIPE, &ignore, &pipe_before_);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard() {
    ::sigaction(SIGINT, &interrupt_before_, nullptr);
    ::sigaction(SIGTERM, &end_before_, nullptr);
    ::sigaction(SIGPIPE, &pipe_before_, nullptr);
  }

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction end_before_ {};
  struct sigaction pipe_before_ {};
};

std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

/// The page of metrics that the server's thread hands out.
struct WatchSession::Page {
  std::mutex mutex;
  std::string text;
};

WatchSession::WatchSession(const CommonOptions& common, const watch::WatchOptions& options,
                           std::string source)
    : common_(common), watcher_(options), source_(std::move(source)) {}

WatchSession::~WatchSession() = default;

Status WatchSession::open_sinks(const WatchSinks& sinks) {
  if (!sinks.json_lines.empty()) {
    Result<std::unique_ptr<watch::BoundedWorker>> lines = watch::line_sink(sinks.json_lines);
    if (!lines) return lines.error();
    line_sink_ = std::move(*lines);
  }
  if (!sinks.webhook.empty()) {
    const Result<http::Url> url = http::parse_url(sinks.webhook);
    if (!url) return url.error();
    webhook_ = watch::post_sink("webhook", *url);
  }
  if (sinks.syslog) syslog_ = watch::syslog_sink();
  if (!sinks.otlp.empty()) {
    const Result<http::Url> url = http::parse_url(sinks.otlp);
    if (!url) return url.error();
    std::string base = url->path;
    while (base.ends_with('/')) base.pop_back();
    http::Url logs = *url;
    logs.path = base + "/v1/logs";
    http::Url metrics = *url;
    metrics.path = base + "/v1/metrics";
    otlp_logs_ = watch::post_sink("otlp_logs", logs);
    otlp_metrics_ = watch::post_sink("otlp_metrics", metrics);
  }
  if (!sinks.metrics.empty()) {
    page_ = std::make_shared<Page>();
    page_->text = show_watch_metrics(report());
    Result<std::unique_ptr<http::PageServer>> server =
        http::PageServer::start(sinks.metrics, [page = page_](std::string_view path) {
          if (path != "/metrics")
            return http::PageServer::Page{.status = 404, .body = "see /metrics\n"};
          const std::lock_guard lock(page->mutex);
          return http::PageServer::Page{
              .type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
              .body = page->text};
        });
    if (!server) return server.error();
    server_ = std::move(*server);
  }
  return {};
}

Status WatchSession::learn(watch::StepSource& source) {
  std::vector<watch::SourcedStep> steps;
  for (bool more = true; more;) {
    const Result<bool> polled = source.poll(steps);
    if (!polled) return polled.error();
    more = *polled;
  }
  if (steps.empty()) return input_error("--learn-from: holds no steps");
  std::vector<std::pair<std::optional<std::int64_t>, watch::Step>> sound;
  for (const watch::SourcedStep& step : steps) {
    sound.emplace_back(source.streams()[step.stream].rank, step.step);
  }
  watcher_.set_sound(std::move(sound));
  for (const std::string& note : source.take_notes()) notes_.push_back("--learn-from: " + note);
  return {};
}

void WatchSession::take_steps(watch::StepSource& source,
                              const std::vector<watch::SourcedStep>& steps) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  while (stream_of_.size() < source.streams().size()) {
    const watch::StepSource::Stream& from = source.streams()[stream_of_.size()];
    stream_of_.push_back(watcher_.stream(from.name, from.rank).value_or(kNone));
  }
  for (const watch::SourcedStep& sourced : steps) {
    const std::size_t stream = stream_of_[sourced.stream];
    if (stream == kNone) continue;
    const watch::ScoredStep scored = watcher_.add(stream, sourced.step);
    if (is_live_) {
      if (points_.size() <= stream) points_.resize(stream + 1);
      points_[stream].push_back({.residual = scored.residual,
                                 .is_judged = scored.judged == watch::Judged::kYes,
                                 .is_alarm = scored.alarm != watch::Alarm::kNone});
      if (points_[stream].size() > kChartSteps) points_[stream].pop_front();
    }
  }
}

void WatchSession::take_events() {
  for (watch::WatchEvent& event : watcher_.take_events()) {
    if (event.kind == watch::EventKind::kAlert) {
      event.about.command = advice_;
      if (keeper_) keeper_->note_alert(event);
      if (alerts_.size() < kAlertsListed) alerts_.push_back(event);
    }
    if (event.kind == watch::EventKind::kAlertEnded) {
      for (auto at = alerts_.rbegin(); at != alerts_.rend(); ++at) {
        if (at->about.stream != event.about.stream || at->about.model != event.about.model)
          continue;
        at->about.episode = event.about.episode;
        at->about.has_ended = event.about.has_ended;
        break;
      }
    }
    tell(event);
  }
}

void WatchSession::tell(const watch::WatchEvent& event) {
  using enum watch::EventKind;
  if (line_sink_) line_sink_->offer(show_watch_event_json(event));
  const bool is_call = event.kind == kAlert || event.kind == kAlertEnded ||
                       event.kind == kExplained || event.kind == kKept;
  if (webhook_ && is_call) webhook_->offer(show_watch_event_json(event));
  if (syslog_ && is_call) syslog_->offer(show_watch_event(event));
  if (otlp_logs_) otlp_logs_->offer(show_otlp_log(event));
  if (is_quiet_) return;
  std::string more;
  if (event.kind == kEpisode) {
    Told& told = told_[event.about.stream];
    if (told.time_ns && event.time_ns - *told.time_ns < kEpisodesApartNs) {
      ++told.left_out;
      return;
    }
    if (told.left_out > 0)
      more = "  (" + std::to_string(told.left_out) + " more since the last line)";
    told = {.time_ns = event.time_ns, .left_out = 0};
  }
  erase_live();
  std::fputs((show_watch_event(event) + more + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void WatchSession::erase_live() {
  if (drawn_lines_ == 0) return;
  std::fprintf(stdout, "\x1b[%zuA\x1b[J", drawn_lines_);
  drawn_lines_ = 0;
}

void WatchSession::draw() {
  if (!is_live_ || steady_ns() < next_draw_ns_) return;
  next_draw_ns_ = steady_ns() + kDrawNs;
  erase_live();
  const std::string text = show_watch_live(report(), points_, text_columns());
  drawn_lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void WatchSession::refresh(bool at_end) {
  if (keeper_) {
    if (at_end) keeper_->finish(kLastComparison);
    for (watch::WatchEvent& kept : keeper_->take_done()) {
      for (watch::WatchEvent& alert : alerts_) {
        if (alert.about.number != kept.about.number) continue;
        const watch::Episode episode = alert.about.episode;
        const bool has_ended = alert.about.has_ended;
        alert.about = kept.about;
        alert.about.episode = episode;
        alert.about.has_ended = has_ended;
      }
      tell(kept);
    }
    for (std::string& note : keeper_->take_notes()) notes_.push_back(std::move(note));
  }
  const std::int64_t now = steady_ns();
  if (page_ && (at_end || now >= next_refresh_ns_)) {
    next_refresh_ns_ = now + kRefreshNs;
    std::string text = show_watch_metrics(report());
    const std::lock_guard lock(page_->mutex);
    page_->text = std::move(text);
  }
  if (otlp_metrics_ && (at_end || now >= next_otlp_ns_)) {
    next_otlp_ns_ = now + kOtlpNs;
    otlp_metrics_->offer(show_otlp_metrics(report(), wall_ns()));
  }
}

Status WatchSession::watch(watch::StepSource& source, std::optional<double> seconds) {
  const InterruptGuard guard;
  is_session_interrupted = false;
  is_live_ = !is_quiet_ && !common_.quiet && prints_to_terminal() && source.interval().count() > 0;
  const std::int64_t end =
      seconds ? steady_ns() + static_cast<std::int64_t>(*seconds * 1e9) : INT64_MAX;
  Status status;
  for (;;) {
    std::vector<watch::SourcedStep> steps;
    const Result<bool> more = source.poll(steps);
    if (!more) {
      status = more.error();
      break;
    }
    take_steps(source, steps);
    for (const std::string& note : source.take_notes()) {
      if (!common_.quiet) {
        erase_live();
        print_warning(note);
      }
      if (notes_.size() < 100) notes_.push_back(note);
    }
    take_events();
    refresh(false);
    draw();
    if (!*more) break;
    const std::int64_t next = steady_ns() + source.interval().count() * 1'000'000;
    while (!is_session_interrupted && steady_ns() < std::min(next, end)) {
      const std::int64_t left_ms = (std::min(next, end) - steady_ns()) / 1'000'000 + 1;
      ::poll(nullptr, 0, static_cast<int>(std::min<std::int64_t>(left_ms, 100)));
    }
    was_interrupted_ = is_session_interrupted;
    if (was_interrupted_ || steady_ns() >= end) break;
  }
  watcher_.finish();
  take_events();
  refresh(true);
  erase_live();
  for (const auto* sink : {&line_sink_, &webhook_, &syslog_, &otlp_logs_, &otlp_metrics_}) {
    if (*sink) (*sink)->finish(kLastDelivery);
  }
  return status;
}

watch::WatchReport WatchSession::report() const {
  watch::WatchReport report{.source = source_, .alerts = alerts_, .notes = notes_};
  for (const watch::StreamWatch& stream : watcher_.streams()) {
    report.streams.push_back(stream.account());
  }
  for (const auto* sink : {&line_sink_, &webhook_, &syslog_, &otlp_logs_, &otlp_metrics_}) {
    if (!*sink) continue;
    report.sinks.push_back({.name = (*sink)->name(),
                            .delivered = (*sink)->delivered(),
                            .failed = (*sink)->failed(),
                            .dropped = (*sink)->dropped()});
  }
  report.streams_left_out = watcher_.left_out();
  report.was_interrupted = was_interrupted_;
  return report;
}

}  // namespace tactus::cli
