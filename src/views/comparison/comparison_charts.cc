#include "views/comparison/comparison_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "stats/summary.h"
#include "views/common/html.h"
#include "views/common/numbers.h"
#include "views/comparison/comparison_cells.h"

namespace tactus {
namespace {

constexpr std::size_t kBars = 10;
constexpr std::size_t kBuckets = 600;  // if a run has more steps, only extremes are drawn
constexpr double kWidth = 1000;        // of the drawing, in its own units
constexpr double kHeight = 300;
constexpr double kLogAbove = 30;  // above this ratio of largest to smallest, a linear scale hides
                                  // steps

struct Bar {
  std::string label;
  std::string value;
  std::string_view look;  ///< total, more or less
  double from = 0;        // [ns]
  double to = 0;          // [ns]
};

/// Rows that do not overlap: the parts of the step of the headline phase, else functions.
std::vector<const TimeBreakdownRow*> disjoint_rows(const Comparison& comparison) {
  const bool has_parts =
      std::any_of(comparison.time_breakdown.begin(), comparison.time_breakdown.end(),
                  [](const TimeBreakdownRow& row) { return row.kind == "part"; });
  std::vector<const TimeBreakdownRow*> rows;
  for (const TimeBreakdownRow& row : comparison.time_breakdown) {
    const bool wanted =
        has_parts ? row.kind == "part" && comparison.change && row.phase == comparison.change->phase
                  : row.kind == "function";
    if (wanted && rows.size() < kBars && std::isfinite(row.delta_ns_per_cycle)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

Bar delta_bar(std::string label, double from, double delta) {
  return {.label = std::move(label),
          .value = delta_text(delta),
          .look = delta >= 0 ? "more" : "less",
          .from = from,
          .to = from + delta};
}

Bar total_bar(const std::string& label, double ns) {
  return {.label = "one cycle, " + label,
          .value = format_duration(std::llround(ns)),
          .look = "total",
          .from = 0,
          .to = ns};
}

/// If an end of the waterfall is missing, each of its steps starts from 0.
std::vector<Bar> waterfall(const Comparison& comparison) {
  const std::vector<const TimeBreakdownRow*> rows = disjoint_rows(comparison);
  std::vector<Bar> bars;
  if (rows.empty()) return bars;
  const bool has_ends = comparison.change && comparison.change->step_ns[0] > 0;
  if (!has_ends) {
    for (const TimeBreakdownRow* row : rows)
      bars.push_back(delta_bar(row->what, 0, row->delta_ns_per_cycle));
    return bars;
  }
  const auto [start, end] = comparison.change->step_ns;
  bars.push_back(total_bar(comparison.labels[0], start));
  double at = start;
  for (const TimeBreakdownRow* row : rows) {
    bars.push_back(delta_bar(row->what, at, row->delta_ns_per_cycle));
    at = bars.back().to;
  }
  if (std::abs(end - at) > 0.01 * std::abs(end - start)) {
    bars.push_back(delta_bar("everything else", at, end - at));
  }
  bars.push_back(total_bar(comparison.labels[1], end));
  return bars;
}

/// The place of a value on the vertical axis, and the labelled values.
class Scale {
 public:
  explicit Scale(const std::array<std::vector<double>, 2>& steps) {
    double smallest = INFINITY;
    for (const auto& run : steps) {
      for (const double ms : run) {
        if (!(ms > 0) || !std::isfinite(ms)) continue;
        smallest = std::min(smallest, ms);
        top_ = std::max(top_, ms);
      }
    }
    is_empty_ = top_ == 0;
    is_log_ = top_ > kLogAbove * smallest;
    if (is_log_) {
      low_ = std::floor(std::log10(smallest));
      top_ = std::ceil(std::log10(top_) + 1e-9);
    } else {
      step_ = nice_step(top_ / 4);
      top_ = step_ * std::ceil(top_ / step_ + 1e-9);
    }
  }

  bool is_empty() const { return is_empty_; }
  bool is_log() const { return is_log_; }
  /// From 0 at the bottom to 1 at the top.
  double height(double ms) const {
    const double value = is_log_ ? std::log10(std::max(ms, 1e-9)) : ms;
    return std::clamp((value - low_) / (top_ - low_), 0.0, 1.0);
  }
  std::vector<double> ticks() const {
    std::vector<double> out;
    if (is_log_) {
      const double stride = std::ceil((top_ - low_) / 6);
      // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): whole numbers
      for (double power = low_; power <= top_; power += stride) {
        out.push_back(std::pow(10, power));
      }
    } else {
      // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): few steps, and room for errors
      for (double ms = 0; ms <= top_ * 1.001; ms += step_) out.push_back(ms);
    }
    return out;
  }

 private:
  static double nice_step(double about) {
    if (!(about > 0)) return 1;
    const double power = std::pow(10, std::floor(std::log10(about)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= about) return factor * power;
    }
    return 10 * power;
  }

  double low_ = 0;
  double top_ = 0;
  double step_ = 1;
  bool is_empty_ = true;
  bool is_log_ = false;
};

std::string ms_text(double ms) {
  return format_duration(std::llround(std::min(ms, 9e12) * 1e6));
}

/// "M x y h0" draws a point: a line of length 0 with round ends is a dot that keeps its shape when
/// the drawing is stretched.
std::string dots(std::span<const double> steps, const Scale& scale) {
  std::string path;
  const auto add = [&](std::size_t index) {
    const double share = steps.size() == 1
                             ? 0.5
                             : static_cast<double>(index) / static_cast<double>(steps.size() - 1);
    fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}h0", 8 + share * (kWidth - 16),
                   kHeight * (1 - scale.height(steps[index])));
  };
  if (steps.size() <= 2 * kBuckets) {
    for (std::size_t i = 0; i < steps.size(); ++i) add(i);
    return path;
  }
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const auto at = [&](std::size_t n) {
      return steps.begin() + static_cast<std::ptrdiff_t>(n * steps.size() / kBuckets);
    };
    const auto [low, high] = std::minmax_element(at(bucket), at(bucket + 1));
    add(static_cast<std::size_t>(low - steps.begin()));
    add(static_cast<std::size_t>(high - steps.begin()));
  }
  return path;
}

std::string axis_html(const Scale& scale, std::string& lines) {
  std::string labels;
  for (const double tick : scale.ticks()) {
    const double y = 1 - scale.height(tick);
    fmt::format_to(std::back_inserter(lines), "M0 {:.1f}h{:.0f}", kHeight * y, kWidth);
    fmt::format_to(std::back_inserter(labels), "<span style=\"top:{:.2f}%\">{}</span>", 100 * y,
                   tick == 0 ? "0" : fmt::format("{:g} ms", tick));
  }
  return labels;
}

}  // namespace

std::string waterfall_html(const Comparison& comparison) {
  const std::vector<Bar> bars = waterfall(comparison);
  if (bars.empty()) return {};
  double low = 0;
  double high = 0;
  for (const Bar& bar : bars) {
    low = std::min({low, bar.from, bar.to});
    high = std::max({high, bar.from, bar.to});
  }
  const double range = high > low ? high - low : 1;
  std::string out = "<div class=\"waterfall\">\n";
  for (const Bar& bar : bars) {
    const double from = 100 * (std::min(bar.from, bar.to) - low) / range;
    const double size = std::max(0.3, 100 * std::abs(bar.to - bar.from) / range);
    out += fmt::format(
        "<div class=\"bar {0}\"><span class=\"what\" title=\"{1}\">{1}</span>"
        "<svg aria-hidden=\"true\"><rect x=\"{2:.2f}%\" width=\"{3:.2f}%\" height=\"100%\"/></svg>"
        "<span class=\"num\">{4}</span></div>\n",
        bar.look, html_text(bar.label), from, size, bar.value);
  }
  return out + "</div>\n";
}

std::string step_chart_html(const Comparison& comparison) {
  const Scale scale(comparison.step_ms);
  if (scale.is_empty()) return {};
  const auto& anchors = comparison.comparability.anchors;
  const bool same_kind = comparison.comparable && anchors[0] == anchors[1];
  std::string grid;
  const std::string axis = axis_html(scale, grid);
  std::string shapes = fmt::format(R"(<path class="grid" d="{}"/>)", grid);
  std::string legend;
  static constexpr std::array<std::string_view, 2> kLooks = {"normal", "abnormal"};
  for (std::size_t run = 0; run < 2; ++run) {
    const std::vector<double>& steps = comparison.step_ms[run];
    if (steps.empty()) continue;
    const double middle = median(steps);
    shapes += fmt::format(R"(<path class="median {0}" d="M0 {1:.1f}h{2:.0f}"/>)", kLooks[run],
                          kHeight * (1 - scale.height(middle)), kWidth);
    shapes += fmt::format(R"(<path class="dots {}" d="{}"/>)", kLooks[run], dots(steps, scale));
    legend += fmt::format("<span class=\"key {}\">{}: {} {}, median {}</span>\n", kLooks[run],
                          html_text(comparison.labels[run]), format_count(steps.size()),
                          steps.size() == 1 ? "cycle" : "cycles", ms_text(middle));
  }
  return fmt::format(
      "<div class=\"legend\">{}</div>\n<div class=\"chart\"><div class=\"axis\">{}</div>"
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"time of each cycle\">{}</svg></div>\n"
      "<p class=\"quiet\">Each run from its first cycle (left) to its last{}; dashed: "
      "medians.{}</p>\n",
      legend, axis, kWidth, kHeight, shapes, scale.is_log() ? "; logarithmic scale" : "",
      same_kind ? "" : " Cycles of the two are of different kinds: see below.");
}

}  // namespace tactus
