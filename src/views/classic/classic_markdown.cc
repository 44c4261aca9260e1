#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "classic/classic_report.h"
#include "views/classic/classic_cells.h"
#include "views/classic/classic_view.h"
#include "views/classic/pipe_table.h"

namespace tactus {
namespace {

constexpr const char* kLegend =
    "- **β (Beta)**: the share of a cycle's time that the function takes; calls that overlap add "
    "up and may exceed 100%.\n"
    "- **μ (Mu)**: the mean level of a counter or of a resource's use while the function ran.\n"
    "- **Device**: what the metric belongs to: a GPU, or the host.\n"
    "- **Z-Score(β/log_μ)**: the change in standard deviations of the first run. The farther from "
    "0, the less usual.\n"
    "- **p-value/U-test p**: how likely such a difference is by chance (Welch's t-test, "
    "Mann-Whitney U test). Below 0.05 is commonly called significant.\n"
    "- **Suspicion Score**: `|Δβ| * (|Z-Score(β)| + |Z-Score(log_μ)|)`. **Look at the highest "
    "first.**\n";

double mean_of_known(const std::vector<double>& values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::nan("") : sum / count;
}

/// "+113.39%"; "-" if the divisor is 0 or unknown.
std::string change_percent(double from, double to) {
  const double percent = (to - from) / from * 100;
  return std::isfinite(percent) ? fmt::format("{:+.2f}%", percent) : "-";
}

std::string grouped_or_dash(double value) {
  return std::isnan(value) ? "-" : grouped_text(value);
}

std::string summary_table(const ClassicReport& report) {
  const auto& [first, second] = report.labels;
  const auto& [cycles, other_cycles] = report.cycle_us;
  PipeTable table(
      {"Metric", first, second, fmt::format("Δ ({} - {})", second, first), "Change (%)"});
  const auto count = [](const std::vector<double>& of) {
    return static_cast<std::int64_t>(of.size());
  };
  table.add({"Total Cycles", std::to_string(count(cycles)), std::to_string(count(other_cycles)),
             std::to_string(count(other_cycles) - count(cycles)), "-"});
  const double mean = mean_of_known(cycles);
  const double other_mean = mean_of_known(other_cycles);
  table.add({"Avg Cycle Time (us)", grouped_or_dash(mean), grouped_or_dash(other_mean),
             grouped_or_dash(other_mean - mean), change_percent(mean, other_mean)});
  return table.to_text();
}

/// The longest cycle of one run beside the longest of the other, and so on.
std::string duration_table(const ClassicReport& report) {
  const auto& [first, second] = report.labels;
  const auto& [cycles, other_cycles] = report.cycle_us;
  PipeTable table({"Time Rank", first + " Time (us)", second + " Time (us)", "Δ (us)", "Δ (%)"},
                  PipeTable::Numbers::kGrouped);
  const auto at = [](const std::vector<double>& values, std::size_t rank) {
    return rank < values.size() ? values[rank] : std::nan("");
  };
  const auto cell = [](double value) {
    return std::isnan(value) ? std::string("-") : shortest_text(value);
  };
  for (std::size_t rank = 0; rank < std::max(cycles.size(), other_cycles.size()); ++rank) {
    const double us = at(cycles, rank);
    const double other_us = at(other_cycles, rank);
    table.add({std::to_string(rank + 1), cell(us), cell(other_us), grouped_or_dash(other_us - us),
               change_percent(us, other_us)});
  }
  return table.to_text();
}

std::string cell_text(const ClassicNumber& number) {
  std::string text;
  switch (number.format) {
    case ClassicFormat::kScore: append_fixed(number.value, 4, text); break;
    case ClassicFormat::kShare: append_fixed(number.value, 2, text); break;
    case ClassicFormat::kChange: append_signed(number.value, 2, text); break;
    case ClassicFormat::kChance: append_fixed(number.value, 3, text); break;
    case ClassicFormat::kLevel: return grouped_text(number.value);
  }
  return text;
}

void append_detail_table(const ClassicReport& report, std::string& out) {
  PipeTable table(classic_heads(report));
  for (const ClassicRow& row : report.rows) {
    std::vector<std::string> cells = {row.function, row.metric, row.device};
    for (const ClassicNumber& number : classic_numbers(row)) cells.push_back(cell_text(number));
    table.add(std::move(cells));
  }
  table.append_to(out);
}

}  // namespace

std::string classic_markdown(const ClassicReport& report) {
  std::string out = "# " + on_one_line(report.title) + "\n\n";
  out += "## 1. High-Level Performance Summary\n\n" + summary_table(report) + "\n";
  out += "## 2. Cycle Duration Distribution Comparison\n\n" + duration_table(report) + "\n";
  out += "## 3. In-depth Core Metric Comparison\n\n### Overview\n\n" + classic_findings(report);
  out +=
      "### Detailed comparison table\n"
      "One row for each function, metric and device of either run, the highest **Suspicion Score** "
      "first.\n\n";
  append_detail_table(report, out);
  out += std::string("\n## 5. Legend\n") + kLegend + "\n";
  return out;
}

}  // namespace tactus
