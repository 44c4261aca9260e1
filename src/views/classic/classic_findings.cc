#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <vector>

#include "views/classic/classic_cells.h"
#include "views/classic/pipe_table.h"

namespace tactus {
namespace {

constexpr double kSuspicious = 10;  // a score above this is reported
constexpr std::size_t kMostFindings = 3;
constexpr std::size_t kMostMetrics = 3;  // of one finding
constexpr double kSignificant = 0.05;
constexpr double kNoChange = 1e-6;  // of mu

bool same_place(const ClassicRow& a, const ClassicRow& b) {
  return a.function == b.function && a.device == b.device;
}

/// The first row of each function and device whose score is high enough.
std::vector<const ClassicRow*> findings_of(const ClassicReport& report) {
  std::vector<const ClassicRow*> found;
  for (const ClassicRow& row : report.rows) {
    if (!(row.suspicion > kSuspicious) || found.size() == kMostFindings) break;
    bool known = false;
    for (const ClassicRow* other : found) known |= same_place(*other, row);
    if (!known) found.push_back(&row);
  }
  return found;
}

std::string significance(double p) {
  if (std::isnan(p)) return "no test can judge that";
  return fmt::format(
      "{} (p-value: {:.3f})",
      p < kSignificant ? "statistically significant" : "not statistically significant", p);
}

void append_metrics(std::string& out, const ClassicReport& report, const ClassicRow& finding) {
  std::size_t told = 0;
  for (const ClassicRow& row : report.rows) {
    if (!(row.suspicion > kSuspicious) || told == kMostMetrics) break;
    const double change = row.mu[1] - row.mu[0];
    if (!same_place(row, finding) || !(std::abs(change) > kNoChange)) continue;
    if (told++ == 0) out += "  - Meanwhile these levels (μ) changed:\n";
    fmt::format_to(std::back_inserter(out), "    - **`{}`**: {} from {} to {}.\n",
                   on_one_line(row.metric), change > 0 ? "increased" : "decreased",
                   grouped_text(row.mu[0]), grouped_text(row.mu[1]));
  }
}

}  // namespace

std::string classic_findings(const ClassicReport& report) {
  const std::vector<const ClassicRow*> findings = findings_of(report);
  const std::string first = on_one_line(report.labels[0]);
  const std::string second = on_one_line(report.labels[1]);
  if (findings.empty()) {
    return fmt::format(
        "Nothing stands out between `{}` and `{}`: no row's **Suspicion Score** is above "
        "{:.1f}.\n\n",
        first, second, kSuspicious);
  }
  const ClassicRow& top = *findings.front();
  std::string out = fmt::format(
      "What differs most between `{}` and `{}` is **`{}`**: there is a notable {} of its share of "
      "the cycle time.\n\n### Key Findings:\n",
      first, second, on_one_line(top.function),
      top.beta[1] > top.beta[0] ? "increase" : "decrease");
  bool above_whole = false;
  for (const ClassicRow* finding : findings) {
    const double change = finding->beta[1] - finding->beta[0];
    above_whole |= finding->beta[0] > 100 || finding->beta[1] > 100;
    fmt::format_to(std::back_inserter(out),
                   "- **`{}` on device `{}`:**\n"
                   "  - Its share of the cycle time (β) **{}** from **{:.2f}%** to **{:.2f}%** "
                   "({:+.2f} ppt); {}.\n",
                   on_one_line(finding->function), on_one_line(finding->device),
                   change > 0 ? "increased" : "decreased", finding->beta[0], finding->beta[1],
                   change, significance(finding->beta_p));
    append_metrics(out, report, *finding);
  }
  out += '\n';
  if (above_whole) {
    out +=
        "*A β above 100% is the sum of calls that ran side by side, or several times, in one "
        "cycle.*\n\n";
  }
  out +=
      "**Recommendation:** start with the function of the highest **Suspicion Score** and look at "
      "how its share of time (β) and the levels beside it (μ) moved together.\n";
  return out;
}

}  // namespace tactus
