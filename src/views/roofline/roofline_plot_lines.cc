// The axes and the roofs of a roofline plot.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "views/common/html.h"
#include "views/roofline/roofline_cells.h"
#include "views/roofline/roofline_plot.h"

namespace tactus {
namespace {

constexpr double kLabelHeight = 13;  // [px] between labels at the right edge
constexpr double kLabelGap = 7;

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view look = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, look.empty() ? "" : fmt::format(" class=\"{}\"", look),
                     html_text(text));
}

/// 10^power: "0.1", "10", "1k", "100 GB/s".
std::string tick_text(double power, std::string_view unit) {
  static constexpr std::array<std::string_view, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  const double group = std::clamp(std::floor(power / 3), 0.0, 6.0);
  return fmt::format("{:g}{}{}{}", std::pow(10, power - 3 * group), unit.empty() ? "" : " ",
                     kPrefixes[static_cast<std::size_t>(group)], unit);
}

/// Powers of ten to label: all, or every second one if they would be too close.
std::vector<double> ticks(const LogScale& scale, double least_px) {
  const double stride = std::abs(scale.per_decade()) < least_px ? 2 : 1;
  std::vector<double> powers;
  // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): few steps, and room for errors
  for (double power = scale.low; power <= scale.high + 0.01; power += stride) {
    powers.push_back(power);
  }
  return powers;
}

/// The peaks of a machine for the kinds of work that occur; equal ones share one name.
std::map<double, std::string, std::greater<>> peaks_of(const Roofline& roofline,
                                                       std::size_t hardware) {
  std::map<std::pair<Engine, NumberType>, double> found;
  for (const RooflineRow& row : roofline.rows) {
    for (const Work& work : row.cost.work) {
      const std::optional<double> peak = roofline.hardware[hardware]->peak(work.engine, work.type);
      if (peak && work.flops > 0) found[{work.engine, work.type}] = *peak;
    }
  }
  std::map<double, std::string, std::greater<>> names;
  std::map<double, Engine> engines;
  for (const auto& [kind, peak] : found) {
    std::string& name = names[peak];
    const auto [engine, is_new] = engines.try_emplace(peak, kind.first);
    if (is_new) {
      name = kind.first == Engine::kTensor ? "matrix" : "vector";
    } else if (engine->second != kind.first) {
      name += kind.first == Engine::kTensor ? ", matrix" : ", vector";
      engine->second = kind.first;
    }
    name += fmt::format(" {}", number_type_name(kind.second));
  }
  return names;
}

}  // namespace

std::string axes_svg(const PlotFrame& frame) {
  const LogScale& x = frame.intensity;
  const LogScale& y = frame.flops;
  std::string lines;
  std::string labels;
  for (const double power : ticks(x, 30)) {
    const double at = x.at(std::pow(10, power));
    lines += fmt::format("M{:.1f} {:.1f}V{:.1f}", at, y.to, y.from);
    labels += text_at(at, y.from + 18, "middle", tick_text(power, ""));
  }
  for (const double power : ticks(y, 18)) {
    const double at = y.at(std::pow(10, power));
    lines += fmt::format("M{:.1f} {:.1f}H{:.1f}", x.from, at, x.to);
    labels += text_at(x.from - 8, at + 4, "end", tick_text(power, ""));
  }
  labels += text_at((x.from + x.to) / 2, y.from + 40, "middle",
                    "arithmetic intensity, FLOP per byte", "name");
  labels += fmt::format(
      "<text class=\"name\" text-anchor=\"middle\" transform=\"translate(16 {:.1f}) "
      "rotate(-90)\">attained, FLOP/s</text>\n",
      (y.from + y.to) / 2);
  if (!frame.strip.empty()) {
    const double bottom = frame.strip_y(*frame.strip.back()).value_or(0) + 14;
    for (const double power : ticks(frame.bytes, 60)) {
      const double at = frame.bytes.at(std::pow(10, power));
      lines += fmt::format("M{:.1f} {:.1f}V{:.1f}", at, frame.strip_top, bottom);
      labels += text_at(at, bottom + 16, "middle", tick_text(power, "B/s"));
    }
    for (const Operator* op : frame.strip) {
      labels += text_at(frame.bytes.from - 12, *frame.strip_y(*op) + 4, "end", op->name);
    }
    labels += text_at(x.from - 60, frame.strip_top - 12, "start",
                      "operators that hardly compute: bytes per second", "name");
  }
  return fmt::format("<path class=\"grid\" d=\"{}\"/>\n{}", lines, labels);
}

std::string roof_svg(const PlotFrame& frame, const Roofline& roofline, std::size_t hardware,
                     bool faint, std::vector<RoofLabel>& labels) {
  const HardwareProfile& machine = *roofline.hardware[hardware];
  const LogScale& x = frame.intensity;
  const LogScale& y = frame.flops;
  const double bandwidth = machine.memory_bandwidth.value;
  std::map<double, std::string, std::greater<>> peaks = peaks_of(roofline, hardware);
  if (faint && peaks.size() > 1) peaks.erase(std::next(peaks.begin()), peaks.end());
  std::string path;
  std::string slope;
  // The slope of memory starts where it enters the plot, at the left or at the bottom.
  const double lowest = std::pow(10, x.low);
  const double from = std::max(lowest, std::pow(10, y.low) / bandwidth);
  const double top = peaks.empty() ? std::pow(10, y.high) : peaks.begin()->first;
  const double ridge = top / bandwidth;
  // It ends at the ridge, or where it leaves the plot: then peaks are outside the plot.
  const double to = std::min(ridge, std::pow(10, x.high));
  path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x.at(from), y.at(from * bandwidth), x.at(to),
                      y.at(to * bandwidth));
  for (const auto& [peak, name] : peaks) {
    if (peak / bandwidth >= std::pow(10, x.high)) continue;
    path += fmt::format("M{:.1f} {:.1f}H{:.1f}", x.at(peak / bandwidth), y.at(peak), x.to);
    labels.push_back(
        {.y = y.at(peak),
         .text = fmt::format("{} {}", faint ? machine.name : amount_text(peak, "FLOP/s"),
                             faint ? amount_text(peak, "FLOP/s") : name),
         .faint = faint});
  }
  if (!faint) {
    // Along the slope, slightly above it and away from the ridge.
    const double middle = std::sqrt(from * to);
    const double angle = std::atan2(y.per_decade(), x.per_decade()) * 180 / M_PI;
    slope = fmt::format(
        "<text class=\"slope\" text-anchor=\"middle\" transform=\"translate({:.1f} {:.1f}) "
        "rotate({:.1f})\">{} {}</text>\n",
        x.at(middle) - 7, y.at(middle * bandwidth) - 7, angle, html_text(machine.name),
        amount_text(bandwidth, "B/s"));
  }
  if (!frame.strip.empty()) {
    const double at = frame.bytes.at(bandwidth);
    path += fmt::format("M{:.1f} {:.1f}V{:.1f}", at, frame.strip_top,
                        frame.strip_y(*frame.strip.back()).value_or(0) + 14);
  }
  return fmt::format("<g class=\"roof{}\" data-machine=\"{}\"><path d=\"{}\"/>\n{}</g>\n",
                     faint ? " faint" : "", hardware, path, slope);
}

std::string roof_labels_svg(const PlotFrame& frame, std::vector<RoofLabel> labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const RoofLabel& a, const RoofLabel& b) { return a.y < b.y; });
  // Neighbours move apart by half the overlap until all have room.
  for (int round = 0; round < 200; ++round) {
    for (std::size_t i = 1; i < labels.size(); ++i) {
      const double lacking = labels[i - 1].y + kLabelHeight - labels[i].y;
      if (lacking <= 0) continue;
      labels[i - 1].y -= lacking / 2;
      labels[i].y += lacking / 2;
    }
  }
  std::string out;
  for (const RoofLabel& label : labels) {
    out += text_at(frame.intensity.to + kLabelGap, label.y + 4, "start", label.text,
                   label.faint ? "edge faint" : "edge");
  }
  return out;
}

}  // namespace tactus
