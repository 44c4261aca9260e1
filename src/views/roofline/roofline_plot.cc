#include "views/roofline/roofline_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catalogue/operator_family.h"
#include "views/common/html.h"
#include "views/roofline/roofline_cells.h"

namespace tactus {
namespace {

constexpr double kLeft = 74;
constexpr double kRight = 800;
constexpr double kTop = 116;
constexpr double kBottom = 566;
constexpr double kWidth = 1000;
constexpr double kStripLeft = 200;
constexpr double kStripGap = 92;  // from the x axis to the strip
constexpr double kStripLine = 24;
constexpr double kBelow = 52;  // for the labels of the last axis
constexpr std::size_t kStripLines = 8;

constexpr double kLeastRadius = 2.4;
constexpr double kMostRadius = 11;

/// Widens a range to whole decades.
class Decades {
 public:
  void take(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    low_ = std::min(low_, std::log10(value));
    high_ = std::max(high_, std::log10(value));
  }
  LogScale scale(double from, double to, double low, double high) const {
    LogScale scale = {.low = low, .high = high, .from = from, .to = to};
    if (low_ <= high_) {
      scale.low = std::floor(low_ - 0.05);
      scale.high = std::max(std::ceil(high_ + 0.05), scale.low + 1);
    }
    return scale;
  }

 private:
  double low_ = INFINITY;
  double high_ = -double{INFINITY};
};

std::optional<double> time_or_bound(const ShapeOnHardware& on) {
  if (on.t_prod_ns) return on.t_prod_ns;
  if (on.bound && on.bound->t_ns > 0) return on.bound->t_ns;
  return std::nullopt;
}

double radius_of(const RooflineRow& row) {
  // The dots of an operator together have an area proportional to its importance.
  const double share = row.op->importance / static_cast<double>(row.op->shapes.size());
  return std::clamp(86 * std::sqrt(std::max(share, 0.0)), kLeastRadius, kMostRadius);
}

}  // namespace

double LogScale::at(double value) const {
  const double place = value > 0 ? std::clamp(std::log10(value), low, high) : low;
  return from + (place - low) * per_decade();
}

std::optional<double> PlotFrame::strip_y(const Operator& op) const {
  for (std::size_t i = 0; i < strip.size(); ++i) {
    if (strip[i]->name == op.name) return strip_top + kStripLine * (static_cast<double>(i) + 0.5);
  }
  return std::nullopt;
}

PlotFrame plot_frame(std::span<const Roofline* const> rooflines) {
  PlotFrame frame;
  const auto known = [&](const Operator* op) {
    return std::any_of(frame.strip.begin(), frame.strip.end(),
                       [&](const Operator* other) { return other->name == op->name; });
  };
  for (const Roofline* roofline : rooflines) {
    for (const OperatorSummary& summary : roofline->operators) {
      if (summary.regime == Regime::kIndexing && frame.strip.size() < kStripLines &&
          !known(summary.op)) {
        frame.strip.push_back(summary.op);
      }
    }
  }
  Decades intensity;
  Decades flops;
  Decades bytes;
  for (const Roofline* roofline : rooflines) {
    for (const RooflineRow& row : roofline->rows) {
      const bool in_strip = frame.strip_y(*row.op).has_value();
      if (!in_strip) intensity.take(row.ai);
      for (const ShapeOnHardware& on : row.on) {
        const std::optional<double> t_ns = time_or_bound(on);
        if (!t_ns) continue;
        if (in_strip) {
          bytes.take(row.cost.bytes() / *t_ns * 1e9);
        } else {
          flops.take(row.cost.flops() / *t_ns * 1e9);
        }
      }
    }
    for (const HardwareProfile* machine : roofline->hardware) {
      bytes.take(machine->memory_bandwidth.value);
      flops.take(machine->peak(Engine::kTensor, NumberType::kBf16).value_or(0));
      flops.take(machine->peak(Engine::kVector, NumberType::kFp32).value_or(0));
    }
  }
  frame.intensity = intensity.scale(kLeft, kRight, -1, 4);
  frame.flops = flops.scale(kBottom, kTop, 9, 15);
  frame.bytes = bytes.scale(kStripLeft, kRight, 9, 13);
  frame.width = kWidth;
  frame.strip_top = kBottom + kStripGap;
  frame.height =
      frame.strip.empty()
          ? kBottom + kBelow
          : frame.strip_top + kStripLine * static_cast<double>(frame.strip.size()) + kBelow;
  return frame;
}

std::optional<PlotDot> dot_of(const PlotFrame& frame, const RooflineRow& row,
                              std::size_t hardware) {
  const ShapeOnHardware& on = row.on[hardware];
  const std::optional<double> t_ns = time_or_bound(on);
  if (!t_ns) return std::nullopt;
  PlotDot dot;
  dot.timed = on.t_prod_ns.has_value();
  if (const std::optional<double> y = frame.strip_y(*row.op)) {
    dot.rate = row.cost.bytes() / *t_ns * 1e9;
    dot.x = frame.bytes.at(dot.rate);
    dot.y = *y;
  } else {
    dot.rate = row.cost.flops() / *t_ns * 1e9;
    dot.x = frame.intensity.at(row.ai);
    dot.y = frame.flops.at(dot.rate);
  }
  return dot;
}

std::string dots_svg(const PlotFrame& frame, const Roofline& roofline, std::size_t hardware) {
  std::vector<std::size_t> order(roofline.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return radius_of(roofline.rows[a]) > radius_of(roofline.rows[b]);
  });
  std::string out = "<g class=\"dots\">\n";
  for (const std::size_t i : order) {
    const RooflineRow& row = roofline.rows[i];
    const std::optional<PlotDot> dot = dot_of(frame, row, hardware);
    const PlotDot place = dot.value_or(PlotDot{});
    const bool in_strip = frame.strip_y(*row.op).has_value();
    out += fmt::format(
        "<circle data-i=\"{}\" class=\"f{}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"{}><title>"
        "{}: AI {}, {}{}</title></circle>\n",
        i, operator_family(row.op->name), place.timed ? "" : " could", place.x, place.y,
        radius_of(row), dot ? "" : " display=\"none\"",
        html_text(fmt::format("{} #{} {}", row.op->name, row.shape->id, row.shape->label)),
        intensity_text(row.ai), amount_text(place.rate, in_strip ? "B/s" : "FLOP/s"),
        place.timed ? ", S " + printed_percent(row.on[hardware].s) : " at the bound");
  }
  return out + "</g>\n";
}

}  // namespace tactus
