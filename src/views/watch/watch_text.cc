#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "base/printable.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/watch/watch_view.h"

namespace tactus {
namespace {

using watch::EventKind;
using watch::StreamAccount;
using watch::WatchEvent;
using watch::WatchReport;

/// Times before this are counted from the start of a log, not from the epoch.
constexpr std::int64_t kEpochTimes = 1'000'000'000'000'000'000 / 2;

std::string who(const watch::Alert& about) {
  std::string out = printable(about.stream);
  if (about.rank) out += fmt::format(" (rank {})", *about.rank);
  return out;
}

std::string work_name(const watch::Alert& about) {
  if (about.model == watch::ModelKind::kByLaunches) return "steps";
  return std::string(phase_name(about.phase)) + " steps";
}

std::string times(double log_ratio) {
  return fmt::format("{:.2f}", std::exp(log_ratio));
}

std::string lasting(const watch::Episode& episode) {
  return fmt::format("{} in {}", count_of(std::llround(episode.served_steps), "step", "steps"),
                     format_duration(std::llround(episode.busy_us * 1e3)));
}

std::string shape_sentence(const watch::Episode& episode) {
  using watch::Shape;
  switch (episode.shape) {
    case Shape::kStep: return "all at once";
    case Shape::kRamp: return "growing";
    case Shape::kSpike: return "a single spike";
    case Shape::kPeriodic: return fmt::format("every {:.0f}th step", episode.period.value_or(0));
    case Shape::kIrregular: return "some steps, at no fixed distance";
    case Shape::kStall: break;
  }
  return "a stall";
}

/// Why, and what to type to see more.
std::string cause_text(const watch::Alert& about) {
  std::string out;
  if (!about.verdict.empty()) out += "\n  " + printable(about.verdict);
  if (!about.command.empty()) out += "\n  see more: " + about.command;
  return out;
}

std::string alert_text(const WatchEvent& event) {
  const watch::Alert& about = event.about;
  const watch::Episode& episode = about.episode;
  std::string out;
  if (episode.shape == watch::Shape::kStall) {
    out = fmt::format("a step of {} took {} instead of {}", who(about),
                      format_duration(std::llround(about.actual_us * 1e3)),
                      format_duration(std::llround(about.predicted_us * 1e3)));
  } else {
    const bool is_part =
        episode.shape == watch::Shape::kPeriodic || episode.shape == watch::Shape::kIrregular;
    out = fmt::format("{}{} of {} take {} times as long as their work explains ({} to {}), {}",
                      is_part ? "some " : "", work_name(about), who(about), times(episode.size),
                      times(episode.low), times(episode.high), shape_sentence(episode));
  }
  out += fmt::format(", since {} ({})", watch_time_text(episode.first_ns), lasting(episode));
  if (about.model == watch::ModelKind::kByLaunches) {
    out += "\n  the work of these steps is not known: a larger batch would look the same";
  }
  if (!about.recording.empty()) out += "\n  kept: " + printable(about.recording);
  return out + cause_text(about);
}

}  // namespace

std::string watch_time_text(std::int64_t time_ns) {
  if (time_ns < kEpochTimes) return fmt::format("{:.3f} s", static_cast<double>(time_ns) / 1e9);
  const std::time_t seconds = time_ns / 1'000'000'000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} UTC", parts, time_ns / 1'000'000 % 1000);
}

std::string show_watch_event(const WatchEvent& event) {
  const watch::Alert& about = event.about;
  const std::string head = watch_time_text(event.time_ns) + "  ";
  switch (event.kind) {
    case EventKind::kReady:
      return head + fmt::format(
                        "ready: learnt {} of {}; a step is usually within {:.1f}% of its "
                        "prediction",
                        count_of(static_cast<std::int64_t>(event.learnt), "step", "steps"),
                        who(about), 100 * event.spread);
    case EventKind::kTooNoisy:
      return head + fmt::format(
                        "not ready: {} of {} vary by {:.0f}% for the same work, which is more "
                        "than what is looked for; nothing is judged until they calm down",
                        work_name(about), who(about), 100 * event.spread);
    case EventKind::kNewWork:
      return head + fmt::format(
                        "new work: steps of {} have a size that was never seen; learnt before they "
                        "are judged",
                        who(about));
    case EventKind::kEpisode:
      return head + fmt::format("suspicious: {} of {}: {} times as long as expected",
                                work_name(about), who(about), times(about.episode.size));
    case EventKind::kAlert:
      return head + fmt::format("ALERT {}: ", about.number) + alert_text(event);
    case EventKind::kExplained:
      return head + fmt::format("ALERT {}: compared with the steps before it", about.number) +
             cause_text(about);
    case EventKind::kKept:
      return head + fmt::format("ALERT {}: kept {}", about.number, printable(about.recording)) +
             cause_text(about);
    case EventKind::kAlertEnded: break;
  }
  return head + fmt::format("{}: {} of {} took {} times as long ({} to {}) for {}",
                            about.has_ended ? "over" : "still so at the end", work_name(about),
                            who(about), times(about.episode.size), times(about.episode.low),
                            times(about.episode.high), lasting(about.episode));
}

std::string show_watch_text(const WatchReport& report, std::size_t width) {
  TextTable table({"steps", "judged", "error", "episodes", "alerts", "time lost", "stream"});
  std::uint64_t alerts = 0;
  bool any_ready = false;
  for (const StreamAccount& stream : report.streams) {
    alerts += stream.alerts;
    any_ready = any_ready || stream.is_ready;
    const std::string error =
        stream.quiet_judged > 0
            ? fmt::format("{:.2f}%",
                          100 * stream.error_sum / static_cast<double>(stream.quiet_judged))
            : "unknown";
    std::string name = stream.name;
    if (stream.rank) name += fmt::format(" (rank {})", *stream.rank);
    if (!stream.is_ready)
      name += stream.is_too_noisy ? ": too noisy" : ": too few steps to learn from";
    table.add({format_count(stream.steps), format_count(stream.judged), error,
               format_count(stream.episodes), format_count(stream.alerts),
               format_duration(std::llround(std::max(0.0, stream.extra_us) * 1e3)), name});
  }
  std::string out;
  if (report.streams.empty()) {
    out += "no steps were seen\n";
  } else {
    out += table.to_text(width);
  }
  if (any_ready) {
    out += alerts == 0 ? "no alert\n"
                       : count_of(static_cast<std::int64_t>(alerts), "alert", "alerts") + "\n";
  } else if (!report.streams.empty()) {
    out += "nothing was judged: no stream had enough steps to learn from (--learn, --learn-from)\n";
  }
  for (const watch::SinkAccount& sink : report.sinks) {
    const std::uint64_t lost = sink.failed + sink.dropped;
    if (lost == 0) continue;
    out += fmt::format(
        "{}: {} of {} not delivered\n", sink.name, format_count(lost),
        count_of(static_cast<std::int64_t>(lost + sink.delivered), "message", "messages"));
  }
  return out;
}

}  // namespace tactus
