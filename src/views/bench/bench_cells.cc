#include "views/bench/bench_cells.h"

#include <fmt/format.h>

#include <map>

#include "base/printable.h"
#include "base/text.h"
#include "views/common/numbers.h"

namespace tactus {

std::string bench_time_text(const std::optional<double>& t_ns) {
  return t_ns ? format_duration_of(*t_ns) : "-";
}

std::string bench_percent_text(const std::optional<double>& share) {
  return share ? percent_text(*share) : "-";
}

std::string bench_importance_text(double importance) {
  return bench_percent_text(importance > 0 ? std::optional(importance) : std::nullopt);
}

std::string bench_ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}x", *ratio) : "-";
}

std::string bench_rival_text(const std::optional<RivalTime>& rival) {
  return rival ? fmt::format("{} {}", rival->name, bench_time_text(rival->t_ns)) : "-";
}

std::string bench_tally_text(const ReportGroup& group) {
  if (group.both == 0) return "-";
  return fmt::format("{} / {} / {}", group.faster, group.both - group.faster - group.slower,
                     group.slower);
}

std::string bench_outcome_text(const std::optional<Outcome>& outcome) {
  return outcome ? std::string(outcome_name(*outcome)) : "-";
}

std::string bench_machine_text(const BenchMachine& machine) {
  std::string text = machine.name;
  if (!machine.date.empty()) text += ", " + machine.date;
  if (!machine.driver.empty()) text += ", CUDA " + machine.driver;
  return text + fmt::format(", bounds of the {} profile", machine.profile);
}

std::vector<std::string> bench_score_sentences(const BenchResult& result) {
  std::map<BenchStatus, int> counts;
  for (const BenchRow& row : result.rows) ++counts[row.status];
  std::string shapes = fmt::format(
      "{}: {} right", count_of(static_cast<std::int64_t>(result.rows.size()), "shape", "shapes"),
      counts[BenchStatus::kOk]);
  for (const BenchStatus status :
       {BenchStatus::kWrong, BenchStatus::kImpossible, BenchStatus::kError,
        BenchStatus::kBuildFailed, BenchStatus::kSkipped}) {
    if (counts[status] > 0) {
      shapes += fmt::format(", {} {}", counts[status], bench_status_name(status));
    }
  }
  std::vector<std::string> sentences = {shapes + "."};
  if (result.score.weighted_s) {
    sentences.push_back(fmt::format(
        "Score: {:.1f}% of the bound ({:.1f}% if no kernel can be shorter than a launch), weighted "
        "by importance; the operators that ran have {:.0f}% of all importance.",
        100 * *result.score.weighted_s, 100 * result.score.weighted_s_with_launch.value_or(0),
        100 * result.score.covered_importance));
  }
  return sentences;
}

std::vector<std::string> bench_group_heads(const BenchReport& report) {
  std::vector<std::string> heads = {"importance", "shapes", "right", "failed", "skipped", "S"};
  if (report.has_copies) heads.emplace_back("of a copy");
  if (report.has_rivals) {
    heads.insert(heads.end(),
                 {"S rival", "vs rival", "faster / same / slower", "most frequent best rival"});
  }
  return heads;
}

std::vector<std::string> bench_group_cells(const BenchReport& report, const ReportGroup& group) {
  std::vector<std::string> cells = {bench_importance_text(group.importance),
                                    std::to_string(group.rows.size()),
                                    std::to_string(group.right),
                                    std::to_string(group.failed),
                                    std::to_string(group.skipped),
                                    bench_percent_text(group.median_s)};
  if (report.has_copies) cells.push_back(bench_percent_text(group.median_of_copy));
  if (report.has_rivals) {
    cells.insert(cells.end(),
                 {bench_percent_text(group.rival_median_s), bench_ratio_text(group.ratio),
                  bench_tally_text(group), group.usual_rival.empty() ? "-" : group.usual_rival});
  }
  return cells;
}

namespace {

/// "An empty kernel takes 2.65 us here; ..." if there is a second floor to compare it with.
std::optional<std::string> floor_sentence(const BenchReport& report) {
  std::vector<double> touch;
  for (const BenchRow& row : report.result->rows) {
    if (row.touch_floor_ns) touch.push_back(*row.touch_floor_ns);
  }
  if (touch.empty()) return std::nullopt;
  return fmt::format(
      "An empty kernel takes {} here; a kernel in which every multiprocessor reads and writes 4 KB "
      "of cold memory takes {}.",
      bench_time_text(report.launch_floor_ns), bench_time_text(median_interval(touch).median));
}

/// "No number uses more than 39% of the allowed error (rms_norm 1)."
std::optional<std::string> slack_sentence(const BenchResult& result) {
  const BenchRow* most = nullptr;
  for (const BenchRow& row : result.rows) {
    if (row.status != BenchStatus::kOk || !row.slack_used) continue;
    if (most == nullptr || *row.slack_used > *most->slack_used) most = &row;
  }
  if (most == nullptr) return std::nullopt;
  return fmt::format("No number uses more than {} of the allowed error ({} {}).",
                     percent_text(*most->slack_used), printable(most->operator_name),
                     printable(most->shape_id));
}

/// Other days than that of the result, with the number of rows whose rivals are of that day.
std::map<std::string, std::size_t> days_of_rivals(const BenchResult& result) {
  std::map<std::string, std::size_t> days;
  for (const BenchRow& row : result.rows) {
    if (row.rival && !row.rivals_date.empty()) ++days[row.rivals_date];
  }
  return days;
}

}  // namespace

std::vector<std::string> bench_meanings(const BenchReport& report) {
  std::vector<std::string> sentences = {
      "S is the bound divided by the time; for a group it is the median of its shapes. "
      "Failed shapes count as 0, skipped shapes do not count."};
  bool known = false;
  bool unknown = false;
  for (const BenchRow& row : report.result->rows) {
    known = known || (row.t_ns && row.interval_known);
    unknown = unknown || (row.t_ns && !row.interval_known);
  }
  if (known) sentences.emplace_back("An interval is the 95% confidence interval of the median.");
  if (unknown) {
    sentences.emplace_back(
        "In brackets: the shortest and the longest time, where there are too few times for an "
        "interval.");
  }
  if (std::optional<std::string> floors = floor_sentence(report)) sentences.push_back(*floors);
  if (std::optional<std::string> slack = slack_sentence(*report.result))
    sentences.push_back(*slack);
  if (report.has_copies) {
    sentences.emplace_back(
        "Of a copy: the time of a plain copy of as many bytes under the same clock, divided by the "
        "time, where memory is the bound; for a group it is the median.");
  }
  if (report.has_rivals) {
    sentences.emplace_back(
        "vs rival: how many times longer the fastest rival takes; for a group it is the geometric "
        "mean "
        "over the shapes that both can do.");
    sentences.emplace_back(
        "Faster and slower: the intervals are more than 3% apart; same: all others.");
    for (const auto& [date, shapes] : days_of_rivals(*report.result)) {
      sentences.push_back(fmt::format("The rivals of {} {} were timed on {}, in another run.",
                                      shapes, shapes == 1 ? "shape" : "shapes", printable(date)));
    }
  }
  return sentences;
}

}  // namespace tactus
