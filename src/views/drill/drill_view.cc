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
  std::string text =
      fmt::format("x{:.2f} ({:.2f} to {:.2f})", row.ratio.ratio, row.ratio.low, row.ratio.high);
  // Said where the mean tells another story than the typical step.
  const bool is_other = row.mean.low > row.ratio.high || row.mean.high < row.ratio.low ||
                        (row.slower == drill::Slower::kYes && row.ratio.ratio < 1.05);
  if (is_other) text += fmt::format(", mean x{:.2f}", row.mean.ratio);
  return text;
}

std::string among_text(const RatioRow& among) {
  if (!std::isfinite(among.ratio)) return "-";
  if (!std::isfinite(among.low)) return fmt::format("x{:.2f}", among.ratio);
  return fmt::format("x{:.2f} ({:.2f} to {:.2f})", among.ratio, among.low, among.high);
}

std::string detected_text(const DrillRow& row) {
  if (!row.detection.steps) return row.detection.was_open ? "in an alert already" : "-";
  std::string text =
      fmt::format("{} steps, {:.1f} s", *row.detection.steps, row.detection.seconds.value_or(0));
  if (row.detection.alert_s) text += fmt::format(", alert {:.1f} s", *row.detection.alert_s);
  return text;
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

TextTable groups_table(const DrillReport& report) {
  TextTable table({"scenario", "intensity", "repeats", "step", "5% slower", "noticed", "alerts",
                   "named", "named rightly", "grade"});
  for (const drill::DrillGroup& group : report.groups) {
    table.add({group.scenario, fmt::format("{:g}", group.intensity), std::to_string(group.repeats),
               among_text(group.typical), std::string(slower_name(group.slower)),
               std::to_string(group.detected), std::to_string(group.alerts),
               group.named.empty() ? "-" : group.named, std::to_string(group.named_rightly),
               std::string(grade_name(group.grade))});
  }
  return table;
}

/// Of the injections that made steps slower by 5% or more: how many watch noticed, and how many
/// were named rightly.
struct Felt {
  std::size_t injections = 0;
  std::size_t detected = 0;
  std::size_t right = 0;
};
Felt felt_of(const DrillReport& report) {
  Felt felt;
  for (const DrillRow& row : report.rows) {
    if (row.slower != drill::Slower::kYes) continue;
    ++felt.injections;
    felt.detected += row.detection.steps ? 1 : 0;
    felt.right += row.grade == Grade::kRight ? 1 : 0;
  }
  return felt;
}

/// "5 injections: 3 right, 1 missed, 0 wrong, 1 not judged"
std::string sum_text(const DrillReport& report) {
  const auto count = [&](Grade grade) {
    return std::count_if(report.rows.begin(), report.rows.end(),
                         [&](const DrillRow& row) { return row.grade == grade; });
  };
  const Felt felt = felt_of(report);
  std::string text = fmt::format(
      "{} injections: {} right, {} missed, {} wrong, {} not judged. Of {} that made steps slower "
      "by 5% or more, watch noticed {}, and {} were named rightly. ",
      report.rows.size(), count(Grade::kRight), count(Grade::kMissed), count(Grade::kWrong),
      count(Grade::kNotJudged), felt.injections, felt.detected, felt.right);
  if (report.resting_windows > 1) {
    text += fmt::format(
        "In windows of that length without an injection, steps take x{:.2f} to x{:.2f} as long as "
        "in "
        "the middle of {} such windows. ",
        report.resting.low, report.resting.high, report.resting_windows);
  } else {
    text +=
        "There are too few rests to say how much steps differ between windows without an "
        "injection. ";
  }
  if (!report.rests.is_ready) return text + "Watch had too few steps to learn from";
  return text + fmt::format("In the rests, watch judged {} steps: {} episodes, {} alerts",
                            report.rests.judged, report.rests.episodes, report.rests.alerts.size());
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json group_json(const drill::DrillGroup& group) {
  return {{"scenario", group.scenario},
          {"intensity", group.intensity},
          {"repeats", static_cast<std::int64_t>(group.repeats)},
          {"ratio", number(group.typical.ratio)},
          {"low", number(group.typical.low)},
          {"high", number(group.typical.high)},
          {"mean_ratio", number(group.mean.ratio)},
          {"mean_low", number(group.mean.low)},
          {"mean_high", number(group.mean.high)},
          {"slower", slower_name(group.slower)},
          {"detected", static_cast<std::int64_t>(group.detected)},
          {"alerts", static_cast<std::int64_t>(group.alerts)},
          {"named", text_or_null(group.named)},
          {"named_rightly", static_cast<std::int64_t>(group.named_rightly)},
          {"grade", grade_name(group.grade)}};
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
      {"mean_ratio", was_compared ? number(row.mean.ratio) : Json(nullptr)},
      {"mean_low", number(row.mean.low)},
      {"mean_high", number(row.mean.high)},
      {"windows_ratio", number(row.typical_among.ratio)},
      {"windows_low", number(row.typical_among.low)},
      {"windows_high", number(row.typical_among.high)},
      {"windows_mean_ratio", number(row.mean_among.ratio)},
      {"windows_mean_low", number(row.mean_among.low)},
      {"windows_mean_high", number(row.mean_among.high)},
      {"slower", slower_name(row.slower)},
      {"doubt", text_or_null(row.doubt)},
      {"watched_steps", static_cast<std::int64_t>(row.detection.judged)},
      {"detected_steps",
       row.detection.steps ? Json(static_cast<std::int64_t>(*row.detection.steps)) : Json(nullptr)},
      {"detected_s", Json(row.detection.seconds)},
      {"alert_s", Json(row.detection.alert_s)},
      {"in_alert_before", row.detection.was_open},
      {"named", text_or_null(row.named)},
      {"accepted", Json(row.accepted)},
      {"seen", Json(row.seen)},
      {"text", row.text},
      {"grade", grade_name(row.grade)},
      {"normal_file", text_or_null(row.normal_file)},
      {"injected_file", text_or_null(row.injected_file)}};
}

}  // namespace

std::string show_drill_text(const DrillReport& report, std::size_t width) {
  TextTable table(heads());
  for (const DrillRow& row : report.rows) table.add(cells(row));
  std::string text = table.to_text(width) + "\n" + sum_text(report) + "\n";
  if (!report.groups.empty()) text += "\n" + groups_table(report).to_text(width) + "\n";
  for (const DrillRow& row : report.rows) {
    text += fmt::format("  {} {:g}: {}{}\n", row.injected.scenario, row.injected.intensity,
                        row.text, row.doubt.empty() ? "" : " Not judged: " + row.doubt + ".");
  }
  return text;
}

std::string show_drill_markdown(const DrillReport& report) {
  TextTable table(heads());
  for (const DrillRow& row : report.rows) table.add(cells(row));
  std::string text = table.to_markdown() + "\n" + sum_text(report) + ".\n";
  if (!report.groups.empty()) text += "\n" + groups_table(report).to_markdown();
  return text;
}

std::string show_drill_json(const DrillReport& report) {
  Json document;
  document["recording"] = report.recording;
  document["rows"] = Json::array();
  for (const DrillRow& row : report.rows) document["rows"].push_back(row_json(row));
  document["scenarios"] = Json::array();
  for (const drill::DrillGroup& group : report.groups) {
    document["scenarios"].push_back(group_json(group));
  }
  const Felt felt = felt_of(report);
  document["felt"] = {{"injections", static_cast<std::int64_t>(felt.injections)},
                      {"detected", static_cast<std::int64_t>(felt.detected)},
                      {"right", static_cast<std::int64_t>(felt.right)}};
  Json alerted = Json::array();
  for (const drill::RestAlert& alert : report.rests.alerts) {
    alerted.push_back({{"since_ns", alert.since_ns},
                       {"called_ns", alert.called_ns},
                       {"ratio", number(alert.ratio.ratio)},
                       {"low", number(alert.ratio.low)},
                       {"high", number(alert.ratio.high)}});
  }
  document["rests"] = {{"watched_steps", static_cast<std::int64_t>(report.rests.judged)},
                       {"episodes", static_cast<std::int64_t>(report.rests.episodes)},
                       {"alerts", static_cast<std::int64_t>(report.rests.alerts.size())},
                       {"alerted", std::move(alerted)},
                       {"ready", report.rests.is_ready},
                       {"windows", static_cast<std::int64_t>(report.resting_windows)},
                       {"window_low", number(report.resting.low)},
                       {"window_high", number(report.resting.high)}};
  document["warnings"] = Json(report.warnings);
  document["dropped"] = Json::object();
  return to_text(document);
}

}  // namespace tactus
