#include "views/record/top_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "base/utf8.h"
#include "views/common/json.h"
#include "views/common/numbers.h"

namespace tactus {
namespace {

using record::LiveKernel;
using record::LiveMeter;
using record::LivePicture;
using record::LiveShare;

constexpr std::string_view kUnknown = "unknown";

std::string launch_rate_text(const std::optional<double>& rate) {
  if (!rate) return std::string(kUnknown);
  if (*rate < 100) return fmt::format("{:.1f}", *rate);
  return format_count(static_cast<std::uint64_t>(*rate + 0.5));
}

std::string time_text(const std::optional<std::int64_t>& ns) {
  return ns ? format_duration(*ns) : std::string(kUnknown);
}

std::string share_text(const std::optional<double>& share) {
  return share ? percent_text(*share) : std::string(kUnknown);
}

/// Cut to a width, counted in characters, not in bytes.
std::string cut(const std::string& text, std::size_t columns) {
  std::size_t width = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    if (width == columns) return text.substr(0, at);
    ++width;
    at = next;
  }
  return text;
}

/// "▁▃█": the last values, as high as they are long.
std::string spark_line(const std::vector<std::int64_t>& values, std::size_t columns) {
  static constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t count = std::min(values.size(), columns);
  const auto first = values.end() - static_cast<std::ptrdiff_t>(count);
  const std::int64_t highest = count == 0 ? 0 : *std::max_element(first, values.end());
  std::string line;
  for (auto value = first; value != values.end(); ++value) {
    if (*value <= 0 || highest <= 0) {
      line += ' ';
      continue;
    }
    const auto bar = static_cast<std::size_t>(
        static_cast<double>(*value) / static_cast<double>(highest) * 7 + 0.5);
    line += kBars[std::min<std::size_t>(bar, 7)];
  }
  return line;
}

std::string meter_value(const LiveMeter& meter) {
  if (meter.unit == "%") return fmt::format("{:.1f}%", meter.value);
  if (meter.unit == "bytes" || meter.unit == "B") {
    return format_bytes(static_cast<std::uint64_t>(std::max(meter.value, 0.0)));
  }
  if (meter.unit == "bytes/s" || meter.unit == "B/s") {
    return format_bytes(static_cast<std::uint64_t>(std::max(meter.value, 0.0))) + "/s";
  }
  // Time that some thread waited, per time.
  if (meter.unit == "us/s") return fmt::format("{:.1f}%", meter.value / 1e4);
  if (meter.unit == "count" || meter.unit == "1/s") {
    return format_count(static_cast<std::uint64_t>(std::max(meter.value, 0.0))) +
           (meter.unit == "1/s" ? "/s" : "");
  }
  return fmt::format("{:.4g} {}", meter.value, meter.unit);
}

std::string shares_line(std::string_view head, const std::vector<LiveShare>& shares) {
  std::string line = fmt::format("{:<8}", head);
  constexpr double kLeast = 0.001;
  for (const LiveShare& share : shares) {
    if (share.share < kLeast) continue;
    line += fmt::format("  {} {}", share.what, percent_text(share.share));
  }
  return line;
}

std::vector<std::string> meter_lines(const std::vector<LiveMeter>& meters, std::size_t columns) {
  constexpr std::size_t kCell = 39;
  const std::size_t per_line = std::max<std::size_t>(columns / kCell, 1);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const LiveMeter& meter = meters[i];
    const std::string name =
        meter.place == "Host" ? meter.name : fmt::format("{} {}", meter.name, meter.place);
    if (i % per_line == 0) lines.emplace_back();
    lines.back() += fmt::format("{:<24}{:>13}  ", cut(printable(name), 24), meter_value(meter));
  }
  return lines;
}

std::vector<std::string> kernel_lines(std::vector<LiveKernel> kernels, const TopScreen& screen,
                                      std::size_t rows) {
  std::vector<std::string> lines;
  if (screen.sort == TopSort::kCallTime) {
    std::stable_sort(kernels.begin(), kernels.end(), [](const LiveKernel& a, const LiveKernel& b) {
      return a.call_share.value_or(0) > b.call_share.value_or(0);
    });
  }
  for (const LiveKernel& kernel : kernels) {
    if (lines.size() == rows) break;
    lines.push_back(fmt::format("{:>11}  {:>9}  {}", launch_rate_text(kernel.per_second),
                                share_text(kernel.call_share), printable(kernel.name)));
  }
  return lines;
}

std::vector<std::string> head_lines(const LivePicture& picture, const TopScreen& screen) {
  const std::string state = picture.has_ended  ? "ended"
                            : screen.is_paused ? "paused"
                                               : fmt::format("{:.0f} s", picture.seconds);
  std::string title =
      cut(fmt::format("tactus top {}  {}", picture.pid, printable(picture.command)),
          screen.columns > state.size() + 2 ? screen.columns - state.size() - 2 : 0);
  title +=
      std::string(screen.columns - std::min(screen.columns, text_width(title) + state.size()), ' ');
  const std::string steps = fmt::format("steps/s {:<10} step {:<11} slowest {:<11} ",
                                        launch_rate_text(picture.steps_per_second),
                                        time_text(picture.step_ns), time_text(picture.slowest_ns));
  const std::size_t left =
      screen.columns > text_width(steps) ? screen.columns - text_width(steps) : 0;
  return {title + state, "", steps + spark_line(picture.step_history, left),
          fmt::format("launches/s {:<7} graphs/s {:<7} copies/s {:<7} GPU busy {}",
                      launch_rate_text(picture.launches_per_second),
                      launch_rate_text(picture.graphs_per_second),
                      launch_rate_text(picture.copies_per_second), share_text(picture.gpu_busy))};
}

Json shares_json(const std::vector<LiveShare>& shares) {
  Json list = Json::array();
  for (const LiveShare& share : shares) {
    list.push_back({{"what", share.what}, {"share", share.share}});
  }
  return list;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::vector<std::string> top_screen(const LivePicture& picture, const TopScreen& screen) {
  std::vector<std::string> lines = head_lines(picture, screen);
  std::vector<std::string> below = {""};
  if (!picture.calls.empty()) below.push_back(shares_line("in calls", picture.calls));
  if (!picture.host.empty()) below.push_back(shares_line("threads", picture.host));
  if (below.size() > 1) below.emplace_back();
  std::vector<std::string> meters = meter_lines(picture.meters, screen.columns);
  // Meters leave room for four kernels.
  const std::size_t fixed = lines.size() + below.size() + picture.notes.size() + 3;
  const std::size_t room = screen.rows > fixed + 4 ? screen.rows - fixed - 4 : 0;
  if (meters.size() > room) meters.resize(room);
  below.insert(below.end(), meters.begin(), meters.end());
  for (const std::string& note : picture.notes) below.push_back(printable(note));
  if (picture.lost != 0) below.push_back(fmt::format("lost: {}", format_count(picture.lost)));
  below.push_back(fmt::format("q quit  p {}  s sort: {}", screen.is_paused ? "go on" : "pause",
                              screen.sort == TopSort::kLaunches ? "launches" : "call time"));
  if (!picture.kernels.empty()) {
    lines.emplace_back();
    lines.emplace_back(" launches/s  call time  kernel or graph");
    const std::size_t used = lines.size() + below.size();
    const std::vector<std::string> kernels =
        kernel_lines(picture.kernels, screen, screen.rows > used ? screen.rows - used : 0);
    lines.insert(lines.end(), kernels.begin(), kernels.end());
  }
  lines.insert(lines.end(), below.begin(), below.end());
  if (lines.size() > screen.rows) {
    const std::string keys = lines.back();
    lines.resize(screen.rows);
    if (!lines.empty()) lines.back() = keys;
  }
  for (std::string& line : lines) line = cut(line, screen.columns);
  return lines;
}

std::string top_line(const LivePicture& picture) {
  std::string line = fmt::format(
      "{:.0f} s  steps/s {}  step {}  slowest {}  launches/s {}  graphs/s {}  GPU busy {}",
      picture.seconds, launch_rate_text(picture.steps_per_second), time_text(picture.step_ns),
      time_text(picture.slowest_ns), launch_rate_text(picture.launches_per_second),
      launch_rate_text(picture.graphs_per_second), share_text(picture.gpu_busy));
  for (const LiveMeter& meter : picture.meters) {
    if (meter.name == "process_cpu_usage") line += "  cpu " + meter_value(meter);
  }
  if (!picture.host.empty()) {
    line +=
        fmt::format("  {} {}", picture.host.front().what, percent_text(picture.host.front().share));
  }
  return line + "\n";
}

std::string top_json(const LivePicture& picture) {
  Json document;
  document["pid"] = picture.pid;
  document["command"] = picture.command;
  document["ended"] = picture.has_ended;
  document["seconds"] = picture.seconds;
  document["processes"] = picture.processes;
  document["threads"] = picture.threads;
  document["steps_per_second"] = or_null(picture.steps_per_second);
  document["step_ns"] = or_null(picture.step_ns);
  document["slowest_step_ns"] = or_null(picture.slowest_ns);
  document["gpu_busy"] = or_null(picture.gpu_busy);
  document["launches_per_second"] = or_null(picture.launches_per_second);
  document["graphs_per_second"] = or_null(picture.graphs_per_second);
  document["copies_per_second"] = or_null(picture.copies_per_second);
  document["kernels"] = Json::array();
  for (const LiveKernel& kernel : picture.kernels) {
    document["kernels"].push_back({{"name", kernel.name},
                                   {"per_second", kernel.per_second},
                                   {"call_share", or_null(kernel.call_share)}});
  }
  document["calls"] = shares_json(picture.calls);
  document["host"] = picture.sees_host ? shares_json(picture.host) : Json(nullptr);
  document["meters"] = Json::array();
  for (const LiveMeter& meter : picture.meters) {
    document["meters"].push_back({{"name", meter.name},
                                  {"place", meter.place},
                                  {"unit", meter.unit},
                                  {"value", meter.value}});
  }
  document["dropped"] = Json::object();
  if (picture.lost != 0) document["dropped"]["records"] = picture.lost;
  document["warnings"] = picture.notes;
  return to_text(document);
}

}  // namespace tactus
