#include "views/drill/drill_view.h"

#include <fmt/format.h>

#include <cmath>

#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

using drill::DrillReport;
using drill::DrillRow;
using drill::Grade;

std::string drill_dose_text(const DrillRow& row) {
  if (!row.injected.refused.empty()) return "refused";
  std::string text;
  if (row.injected.cores) text = fmt::format("{:.2f} cores", *row.injected.cores);
  if (row.injected.bytes_per_s) {
    text += fmt::format(
        ", {}/s",
        format_bytes(static_cast<std::uint64_t>(std::max(*row.injected.bytes_per_s, 0.0))));
  }
  return text;
}

std::string drill_ratio_text(const DrillRow& row) {
  if (row.named.empty()) return "-";
  if (!std::isfinite(row.ratio.low)) return fmt::format("x{:.2f}", row.ratio.ratio);
  return fmt::format("x{:.2f} ({:.2f} to {:.2f})", row.ratio.ratio, row.ratio.low, row.ratio.high);
}

std::string detected_text(const DrillRow& row) {
  if (!row.detected_steps) return "-";
  return fmt::format("{} steps, {:.1f} s", *row.detected_steps, row.detected_s.value_or(0));
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "-" : text;
}

std::vector<std::string> heads() {
  return {"scenario", "intensity", "dose", "step", "5% slower", "after", "named", "seen", "grade"};
}

std::vector<std::string> cells(const DrillRow& row) {
  return {row.injected.scenario,
          fmt::format("{:g}", row.injected.intensity),
          drill_dose_text(row),
          drill_ratio_text(row),
          std::string(slower_name(row.slower)),
          detected_text(row),
          row.named.empty() ? "-" : row.named,
          joined(row.seen),
          std::string(grade_name(row.grade))};
}

/// "5 injections: 3 right, 1 missed, 0 wrong, 1 not judged"
std::string sum_text(const DrillReport& report) {
  const auto count = [&](Grade grade) {
    return std::count_if(report.rows.begin(), report.rows.end(),
                         [&](const DrillRow& row) { return row.grade == grade; });
  };
  return fmt::format("{} injections: {} right, {} missed, {} wrong, {} not judged",
                     report.rows.size(), count(Grade::kRight), count(Grade::kMissed),
                     count(Grade::kWrong), count(Grade::kNotJudged));
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json row_json(const DrillRow& row) {
  const bool was_compared = !row.named.empty();
  return {
      {"scenario", row.injected.scenario},
      {"intensity", row.injected.intensity},
      {"shape", row.injected.shape},
      {"refused", text_or_null(row.injected.refused)},
      {"problem", text_or_null(row.injected.problem)},
      {"begin_ns", row.injected.refused.empty() ? Json(row.injected.begin_ns) : Json(nullptr)},
      {"end_ns", row.injected.refused.empty() ? Json(row.injected.end_ns) : Json(nullptr)},
      {"cores", Json(row.injected.cores)},
      {"bytes_per_s", Json(row.injected.bytes_per_s)},
      {"steps", static_cast<std::int64_t>(row.steps)},
      {"normal_steps", static_cast<std::int64_t>(row.normal_steps)},
      {"ratio", was_compared ? number(row.ratio.ratio) : Json(nullptr)},
      {"low", number(row.ratio.low)},
      {"high", number(row.ratio.high)},
      {"slower", slower_name(row.slower)},
      {"detected_steps",
       row.detected_steps ? Json(static_cast<std::int64_t>(*row.detected_steps)) : Json(nullptr)},
      {"detected_s", Json(row.detected_s)},
      {"named", text_or_null(row.named)},
      {"accepted", Json(row.accepted)},
      {"seen", Json(row.seen)},
      {"text", row.text},
      {"grade", grade_name(row.grade)}};
}

}  // namespace

std::string show_drill_text(const DrillReport& report, std::size_t width) {
  TextTable table(heads());
  for (const DrillRow& row : report.rows) table.add(cells(row));
  std::string text = table.to_text(width) + "\n" + sum_text(report) + "\n";
  for (const DrillRow& row : report.rows) {
    text += fmt::format("  {} {:g}: {}\n", row.injected.scenario, row.injected.intensity, row.text);
  }
  return text;
}

std::string show_drill_markdown(const DrillReport& report) {
  TextTable table(heads());
  for (const DrillRow& row : report.rows) table.add(cells(row));
  return table.to_markdown() + "\n" + sum_text(report) + ".\n";
}

std::string show_drill_json(const DrillReport& report) {
  Json document;
  document["recording"] = report.recording;
  document["rows"] = Json::array();
  for (const DrillRow& row : report.rows) document["rows"].push_back(row_json(row));
  document["warnings"] = Json(report.warnings);
  document["dropped"] = Json::object();
  return to_text(document);
}

}  // namespace tactus
