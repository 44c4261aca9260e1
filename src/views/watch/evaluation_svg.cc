#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/common/html.h"
#include "views/watch/evaluation_tables.h"
#include "views/watch/evaluation_view.h"

namespace tactus {
namespace {

using watch::ChartPoint;
using watch::Evaluation;
using watch::LearningPoint;

constexpr double kWidth = 960;
constexpr double kLeft = 90;
constexpr double kRight = 930;

constexpr std::string_view kSvgStyle =
    "text{font:13px system-ui,sans-serif;fill:#222}.title{font-size:16px;font-weight:600}"
    ".small{font-size:12px;fill:#555}.grid{stroke:#ddd}.axis{stroke:#888}"
    ".line{fill:none;stroke:#1f6fb2;stroke-width:2}.dot{fill:#1f6fb2}.alarm{fill:#c62828}"
    ".limit{stroke:#c62828;stroke-dasharray:5 4}.onset{stroke:#555;stroke-dasharray:2 3}"
    ".level{fill:none;stroke:#b26a00;stroke-width:1.5}.skip{fill:#bbb}";

struct Scale {
  double from = 0;
  double to = 1;
  double at_from = 0;
  double at_to = 1;
  double operator()(double value) const {
    return at_from + (std::clamp(value, std::min(from, to), std::max(from, to)) - from) /
                         (to - from) * (at_to - at_from);
  }
};

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view look = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n",
                     x, y, anchor, look, html_text(text));
}

std::string line_at(double x1, double y1, double x2, double y2, std::string_view look) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, look);
}

std::string learning_part(const Evaluation& e, double top, double bottom) {
  std::string out = text_at(kLeft - 70, top - 18, "start",
                            "How far predictions are off after so many steps were learnt", "title");
  if (e.learning.empty()) return out + text_at(kLeft, top + 20, "start", "too few steps to say");
  double most = 0.02;
  for (const LearningPoint& point : e.learning) most = std::max(most, point.worst_fold * 1.15);
  const Scale x{std::log10(40.0), std::log10(static_cast<double>(e.learning.back().steps) * 1.2),
                kLeft, kRight};
  const Scale y{0, most, bottom, top};
  for (double level = 0; level <= most; level += 0.005) {
    out += line_at(kLeft, y(level), kRight, y(level), level == 0 ? "axis" : "grid");
    out += text_at(kLeft - 8, y(level) + 4, "end", fmt::format("{:.1f}%", 100 * level));
  }
  std::string path;
  std::string dots;
  for (const LearningPoint& point : e.learning) {
    const double px = x(std::log10(static_cast<double>(point.steps)));
    path += fmt::format("{}{:.1f},{:.1f} ", path.empty() ? "M" : "L", px, y(point.error));
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"dot\"/>\n", px,
                        y(point.error));
    dots += line_at(px, y(point.error), px, y(point.worst_fold), "axis");
    dots += text_at(px, y(point.error) + 20, "middle", fmt::format("{:.2f}%", 100 * point.error));
    dots +=
        text_at(px, bottom + 18, "middle", format_count(static_cast<std::uint64_t>(point.steps)));
  }
  out += fmt::format("<path d=\"{}\" class=\"line\"/>\n", path) + dots;
  out += text_at((kLeft + kRight) / 2, bottom + 38, "middle",
                 "decode steps learnt (log scale); tested on whole jobs that were held out; the "
                 "thin line goes "
                 "up to the worst of five folds",
                 "small");
  return out;
}

std::string chart_part(const Evaluation& e, double top, double bottom) {
  std::string out = text_at(
      kLeft - 70, top - 36, "start",
      fmt::format("Control chart: {}, 10% slower from its middle on", e.chart_job), "title");
  if (e.chart.size() < 2) return out;
  const Scale x{0, static_cast<double>(e.chart.size() - 1), kLeft, kRight};
  const Scale y{-0.10, 0.26, bottom, top};
  for (const double level : {-0.1, 0.0, 0.1, 0.2}) {
    out += line_at(kLeft, y(level), kRight, y(level), level == 0 ? "axis" : "grid");
    out +=
        text_at(kLeft - 8, y(level) + 4, "end",
                level == 0 ? "as predicted" : fmt::format("{:+.0f}%", 100 * (std::exp(level) - 1)));
  }
  const double onset = x(static_cast<double>(e.chart_onset));
  out += line_at(onset, top - 8, onset, bottom, "onset");
  out += text_at(onset - 6, top - 14, "end", "slower from here on", "small");
  std::size_t first_alarm = e.chart.size();
  std::string path;
  for (std::size_t i = 0; i < e.chart.size(); ++i) {
    const ChartPoint& point = e.chart[i];
    const double px = x(static_cast<double>(i));
    if (!point.judged) {
      out +=
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"2\" height=\"5\" class=\"skip\"/>\n",
                      px, bottom - 5);
      continue;
    }
    if (point.alarm && i >= e.chart_onset) first_alarm = std::min(first_alarm, i);
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.4\" class=\"{}\"/>\n", px,
                       y(point.residual), point.alarm ? "alarm" : "dot");
    // The sum goes from 0 (at 0%) to twice its limit.
    path += fmt::format("{}{:.1f},{:.1f} ", path.empty() ? "M" : "L", px, y(0.13 * point.level));
  }
  out += fmt::format("<path d=\"{}\" class=\"level\"/>\n", path);
  out += line_at(kLeft, y(0.13), kRight, y(0.13), "limit");
  out += text_at(kLeft + 4, y(0.13) - 6, "start", "limit of the sum", "small");
  if (first_alarm < e.chart.size()) {
    const double px = x(static_cast<double>(first_alarm));
    out += text_at(
        px + 8, top - 14, "start",
        "first alarm " +
            count_of(static_cast<std::int64_t>(first_alarm - e.chart_onset), "step", "steps") +
            " later",
        "small");
  }
  out += text_at(
      (kLeft + kRight) / 2, bottom + 20, "middle",
      "dots: duration of each step against its prediction, red with an alarm; orange: the sum that "
      "raises it; grey marks: steps with prompts, not judged",
      "small");
  return out;
}

}  // namespace

std::string show_evaluation_svg(const Evaluation& e) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} 690\" "
             "width=\"{:.0f}\" "
             "height=\"690\" role=\"img\">\n<style>{}</style>\n<rect width=\"100%\" "
             "height=\"100%\" "
             "fill=\"#fff\"/>\n",
             kWidth, kWidth, kSvgStyle) +
         learning_part(e, 50, 270) + chart_part(e, 400, 640) + "</svg>\n";
}

std::string show_evaluation_html(const Evaluation& e) {
  std::string body =
      "<h1>How well watch sees</h1>\n<p>" + html_text(evaluation_summary(e)) + "</p>\n";
  body += show_evaluation_svg(e);
  for (const EvaluationTable& part : evaluation_tables(e)) {
    body += "<h2>" + html_text(part.title) + "</h2>\n<p>" + html_text(part.note) + "</p>\n<pre>" +
            html_text(part.table.to_text(0)) + "</pre>\n";
  }
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n"
         "<title>tactus watch: evaluation</title>\n"
         "<style>body{font-family:sans-serif;max-width:70rem;margin:1rem auto;padding:0 1rem}"
         "svg{max-width:100%;height:auto}pre{overflow-x:auto}</style></head>\n<body>\n" +
         body + "</body></html>\n";
}

}  // namespace tactus
