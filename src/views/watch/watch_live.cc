#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "base/utf8.h"
#include "views/common/text_table.h"
#include "views/watch/watch_view.h"

namespace tactus {
namespace {

using watch::StreamAccount;

constexpr std::size_t kRows = 9;
constexpr double kLowest = -0.08;  // of the chart, ln(duration / prediction)
constexpr double kHighest = 0.24;
constexpr std::size_t kMargin = 8;
constexpr std::size_t kMostStreams = 8;  // that the live view lists

std::string state_of(const StreamAccount& stream) {
  if (stream.in_alert) return "ALERT";
  if (stream.in_episode) return "suspicious";
  if (stream.is_too_noisy) return "too noisy";
  return stream.is_ready ? "ok" : "learning";
}

/// Steps from left to right, the latest at the right edge.
std::string chart(const std::deque<LivePoint>& points, std::size_t width) {
  const std::size_t columns = width > kMargin + 10 ? width - kMargin - 1 : 10;
  const std::size_t shown = std::min(columns, points.size());
  std::vector<std::string> rows(kRows);
  const double step = (kHighest - kLowest) / static_cast<double>(kRows - 1);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double level = kHighest - step * static_cast<double>(row);
    rows[row] = fmt::format("{:>+6.0f}% ", 100 * (std::exp(level) - 1));
    const bool is_zero = std::abs(level) < step / 2;
    for (std::size_t i = points.size() - shown; i < points.size(); ++i) {
      const LivePoint& point = points[i];
      const double r = std::clamp(point.residual, kLowest, kHighest);
      const bool is_here = point.is_judged && std::abs(r - level) <= step / 2;
      rows[row] += is_here ? (point.is_alarm ? "█" : "•") : is_zero ? "─" : " ";
    }
  }
  std::string out;
  for (const std::string& row : rows) out += row + "\n";
  return out;
}

}  // namespace

std::string show_watch_live(const watch::WatchReport& report,
                            const std::vector<std::deque<LivePoint>>& points, std::size_t width) {
  std::string out =
      shorten("watching " + printable(report.source) + "   (Ctrl-C ends it)", width) + "\n";
  if (report.streams.empty()) return out + "no steps yet\n";
  // The chart is of the stream that needs to be looked at most.
  std::size_t worst = 0;
  for (std::size_t i = 1; i < report.streams.size(); ++i) {
    const auto urgency = [&](std::size_t k) {
      const StreamAccount& s = report.streams[k];
      return s.in_alert ? 3.0 : s.in_episode ? 2.0 : std::min(1.0, s.level);
    };
    if (urgency(i) > urgency(worst)) worst = i;
  }
  out += shorten("steps of " + printable(report.streams[worst].name) +
                     " against their prediction; 0% is as predicted, █ is an alarm",
                 width) +
         "\n";
  if (worst < points.size()) out += chart(points[worst], width);
  for (std::size_t i = 0; i < report.streams.size() && i < kMostStreams; ++i) {
    const StreamAccount& s = report.streams[i];
    out += shorten(fmt::format(
                       "{:<10} {:>9} steps  last {:>8.2f} ms  predicted {:>8.2f} ms  {} episodes, "
                       "{} alerts  {}",
                       state_of(s), s.steps, s.last_us / 1e3, s.predicted_us / 1e3, s.episodes,
                       s.alerts, printable(s.name)),
                   width) +
           "\n";
  }
  if (report.streams.size() > kMostStreams) {
    out += fmt::format("and {} more streams\n", report.streams.size() - kMostStreams);
  }
  return out;
}

}  // namespace tactus
