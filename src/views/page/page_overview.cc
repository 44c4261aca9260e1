#include <fmt/format.h>

#include <algorithm>

#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/kernels/kernels_parts.h"
#include "views/kernels/launch_table_view.h"
#include "views/page/page_json.h"

namespace tactus {
namespace {

constexpr std::size_t kFamiliesNamed = 3;

std::string families_named(const KernelReport& report) {
  std::string text;
  std::size_t named = 0;
  for (const FamilyShare& share : report.families) {
    if (named == kFamiliesNamed) break;
    ++named;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", family_name(share.family),
                        percent_text(share.share));
  }
  return text;
}

/// The phase that takes most time, and has whole steps.
const PhaseSummary* main_phase(const std::vector<PhaseSummary>& phases) {
  const auto at = std::find_if(phases.begin(), phases.end(), [](const PhaseSummary& phase) {
    return phase.durations.count != 0;
  });
  return at == phases.end() ? nullptr : &*at;
}

std::string sentence_of(const OverviewParts& parts, const Run& run) {
  const KernelReport& report = *parts.report;
  const std::string families = families_named(report);
  if (report.table.rows.empty() && parts.launches == nullptr) {
    if (run.slices.empty()) return "This file has no slices and no kernels.";
    return fmt::format("This run has {} and no GPU events.",
                       count_of(static_cast<std::int64_t>(run.own_slices()), "slice", "slices"));
  }
  if (const PhaseSummary* phase = main_phase(parts.phases)) {
    const bool known = phase->phase != Phase::kUnknown;
    std::string text =
        fmt::format("A {}step takes {}", known ? std::string(phase_name(phase->phase)) + " " : "",
                    format_duration(phase->durations.med_ns));
    text += fmt::format(" (median of {})",
                        format_count(static_cast<std::uint64_t>(phase->durations.count)));
    if (phase->gpu_busy_share > 0 &&
        (parts.launches == nullptr || parts.launches->shows_busy_time())) {
      text += fmt::format("; the GPU works {} of that time", percent_text(phase->gpu_busy_share));
    }
    text += ".";
    if (parts.launches != nullptr) {
      text += fmt::format(" This is a light recording: {}, without times of single kernels.",
                          count_of(parts.launches->launches, "launch", "launches"));
    }
    if (!families.empty()) text += " Over the whole run, GPU time is " + families + ".";
    return text;
  }
  if (parts.launches != nullptr) {
    return fmt::format("This light recording has {}, without times of single kernels.",
                       count_of(parts.launches->launches, "launch", "launches"));
  }
  std::string text = fmt::format(
      "{} take {} of GPU time",
      count_of(static_cast<std::int64_t>(report.table.rows.size()), "kernel", "kernels"),
      format_duration(report.table.total_ns));
  if (!families.empty()) text += ": " + families;
  return text + ".";
}

}  // namespace

std::string show_page_overview(const OverviewParts& parts, const Run& run) {
  std::vector<Remark> remarks;
  if (parts.launches != nullptr) remarks = launch_remarks(*parts.launches);
  for (Remark& remark : kernel_remarks(*parts.report, *parts.bounds, parts.idle)) {
    remarks.push_back(std::move(remark));
  }
  Json lines = Json::array();
  for (const Remark& remark : remarks) {
    lines.push_back({{"label", remark.label}, {"text", remark.text}});
  }
  Json next = Json::array();
  next.push_back("tactus kernels " + parts.file);
  if (!parts.phases.empty()) {
    next.push_back("tactus cycles " + parts.file);
    next.push_back("tactus compare " + parts.file + " OTHER");
  }
  Json document = {{"sentence", sentence_of(parts, run)},
                   {"lines", std::move(lines)},
                   {"next", std::move(next)},
                   {"remarks", Json(run.remarks)},
                   {"warnings", Json(run.warnings)}};
  return to_text(document);
}

}  // namespace tactus
