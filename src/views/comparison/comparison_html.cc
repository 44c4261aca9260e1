#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "views/common/html.h"
#include "views/comparison/comparison_cells.h"
#include "views/comparison/comparison_charts.h"
#include "views/comparison/comparison_page.h"
#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

/// A number cell: sorted by the value, shown as the text.
std::string number_cell(const std::string& text, double value) {
  const std::string key = std::isfinite(value) ? fmt::format("{:.9g}", value) : "";
  return fmt::format(R"(<td class="num" data-v="{}">{}</td>)", key, html_text(text));
}

std::string text_cell(std::string_view text, std::string_view look = "") {
  if (look.empty()) return "<td>" + html_text(text) + "</td>";
  return fmt::format("<td class=\"{}\">{}</td>", look, html_text(text));
}

std::string table_html(const std::vector<std::string>& heads, const std::string& rows) {
  return fmt::format("<div class=\"wide\"><table>{}<tbody>\n{}</tbody></table></div>\n",
                     html_table_head(heads), rows);
}

void add_section(std::string& out, std::string_view heading, const std::string& body) {
  if (!body.empty()) out += fmt::format("<section><h2>{}</h2>\n{}</section>\n", heading, body);
}

std::string_view verdict_look(const Comparison& comparison) {
  switch (comparison.verdict.verdict) {
    case VerdictClass::kNone: return "good";
    case VerdictClass::kNotComparable:
    case VerdictClass::kUnknown: return "unsure";
    default: return "bad";
  }
}

std::string verdict_box(const Comparison& comparison) {
  const Verdict& verdict = comparison.verdict;
  std::string facts;
  const auto fact = [&](std::string_view name, const std::string& value) {
    facts += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, html_text(value));
  };
  fact("what changed", std::string(verdict_class_name(verdict.verdict)));
  if (comparison.change) {
    fact("time per " + html_text(comparison.change->unit), ratio_text(comparison.change->ratio));
    fact("95% interval", interval_text(comparison.change->low, comparison.change->high));
  } else {
    fact("how much", "unknown");
  }
  fact("shown by", verdict.resource.empty() ? "unknown" : verdict.resource);
  if (!verdict.device.empty()) fact("on", verdict.device);
  fact("confidence", std::string(confidence_name(verdict.confidence)));
  fact("comparable", comparable_text(comparison));
  if (!verdict.phase.empty()) fact("phase", verdict.phase);
  if (verdict.rank) fact("rank", fmt::format("{}", *verdict.rank));
  if (verdict.explains) fact("explains", share_text(*verdict.explains));
  for (const ShareRow& other : comparison.also) {
    fact("also", std::string(verdict_class_name(other.verdict)));
  }
  return fmt::format(
      "<header class=\"verdict {}\"><h1>{}</h1>\n<p class=\"quiet\">{} against {}</p>\n"
      "<dl class=\"facts\">\n{}</dl></header>\n",
      verdict_look(comparison), html_text(verdict.text), html_text(comparison.labels[1]),
      html_text(comparison.labels[0]), facts);
}

std::string phases_html(const Comparison& comparison) {
  if (!comparison.change || comparison.change->by_phase.empty()) return {};
  std::string rows;
  for (const PhaseRow& phase : comparison.change->by_phase) {
    rows += "<tr>" + text_cell(phase.phase) + number_cell(ratio_text(phase.ratio), phase.ratio) +
            number_cell(interval_text(phase.low, phase.high), phase.low) +
            number_cell(pair_text(phase.n), static_cast<double>(phase.n[0])) + "</tr>\n";
  }
  return table_html({"Phase", "#Ratio", "#95% interval", "#Cycles"}, rows);
}

std::string time_breakdown_html(const Comparison& comparison) {
  if (comparison.time_breakdown.empty()) return "<p>unknown</p>\n";
  std::string rows;
  for (const TimeBreakdownRow& row : comparison.time_breakdown) {
    rows += "<tr>" + text_cell(row.what, "name") + text_cell(row.kind) + text_cell(row.phase) +
            number_cell(delta_text(row.delta_ns_per_cycle), row.delta_ns_per_cycle) +
            number_cell(share_text(row.share), row.share) +
            number_cell(state_text(row), row.ratio) +
            number_cell(q_text(row.q), row.q.value_or(NAN)) + "</tr>\n";
  }
  return waterfall_html(comparison) +
         table_html({"What", "Kind", "Phase", "#Change per cycle", "#Share", "#Ratio", "#q"}, rows);
}

std::string counter_shifts_html(const Comparison& comparison) {
  if (comparison.counter_shifts.empty())
    return "<p>unknown: no counter is known to have moved</p>\n";
  std::string rows;
  for (const CounterShiftRow& row : comparison.counter_shifts) {
    rows += "<tr>" + text_cell(row.counter) + text_cell(row.device) +
            (row.is_cause ? text_cell("cause", "cause") : text_cell("symptom")) +
            number_cell(level_text(row.normal), row.normal) +
            number_cell(level_text(row.abnormal), row.abnormal) +
            number_cell(ratio_text(row.ratio), row.ratio) +
            number_cell(interval_text(row.low, row.high), row.low) +
            number_cell(q_text(row.q), row.q.value_or(NAN)) +
            number_cell(pair_text(row.samples), static_cast<double>(row.samples[0])) + "</tr>\n";
  }
  return table_html({"Counter", "Device", "Role", "#Normal", "#Abnormal", "#Ratio", "#95% interval",
                     "#q", "#Samples"},
                    rows) +
         fmt::format("<p class=\"quiet\">{}</p>\n", kRatioMeaning);
}

std::string seen_html(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const SeenRow& seen : comparison.seen) texts.push_back(seen.text);
  return texts.empty() ? std::string() : html_list(texts);
}

std::string next_html(const Comparison& comparison) {
  std::string out;
  for (const NextStep& step : comparison.next) {
    out += "<p>" + html_text(step.text) + "</p>\n";
    if (!step.command.empty()) out += "<pre><code>" + html_text(step.command) + "</code></pre>\n";
  }
  return out;
}

std::string classic_html(const ComparisonContext& context) {
  if (context.rows == nullptr || context.rows->empty()) return {};
  return "<p class=\"quiet\">&beta; is a share of the cycle and not a time, and counters of one "
         "function share it; the p-values are not corrected for the number of rows.</p>\n"
         "<noscript><p>This table needs JavaScript; --classic writes it as a file.</p></noscript>\n"
         "<input id=\"filter\" type=\"search\" placeholder=\"show rows with\" "
         "aria-label=\"show rows with\">\n<div class=\"wide\"><table id=\"classic\">" +
         html_table_head({"Function", "Metric", "Device", "#Suspicion", "#\u03B2 normal %",
                          "#\u03B2 abnormal %", "#U-test p(\u03B2)", "#\u03BC normal",
                          "#\u03BC abnormal", "#Z(log \u03BC)", "#U-test p(\u03BC)"}) +
         "<tbody></tbody></table></div>\n";
}

std::string list_or_nothing(const std::vector<std::string>& sentences) {
  return sentences.empty() ? std::string() : html_list(sentences);
}

}  // namespace

std::string show_comparison_html(const Comparison& comparison, const ComparisonContext& context) {
  std::string body = verdict_box(comparison);
  add_section(body, "How much", phases_html(comparison) + step_chart_html(comparison));
  add_section(body, "Whether they can be compared",
              list_or_nothing(comparability_sentences(comparison)));
  add_section(body, "Where the time went", time_breakdown_html(comparison));
  add_section(body, "Why: counters that moved", counter_shifts_html(comparison));
  add_section(body, "Seen, but not felt", seen_html(comparison));
  add_section(body, "Evidence", list_or_nothing(comparison.evidence));
  add_section(body, "What is not known", list_or_nothing(comparison.not_known));
  add_section(body, "What to check next", next_html(comparison));
  add_section(body, "Warnings", list_or_nothing(context.warnings));
  add_section(body, "The classic table", classic_html(context));
  return page_html(
      {.title = fmt::format("{}: {} against {}", verdict_class_name(comparison.verdict.verdict),
                            comparison.labels[1], comparison.labels[0]),
       .style = kComparisonStyle,
       .body = std::move(body),
       .json_id = "comparison",
       .json = html_json(comparison_document(comparison, context)),
       .script = kComparisonScript});
}

}  // namespace tactus
