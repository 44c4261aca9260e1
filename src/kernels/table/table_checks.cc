#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/table/table_analysis.h"

namespace tactus {
namespace {

/// Shares are printed with one decimal; the rest allows for rounded totals.
constexpr double kShareTolerance = 0.06;  // [percent]
constexpr double kTotalTolerance = 0.001;

bool has_shares(const KernelTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const KernelRow& row) { return row.time_pct != 0; });
}

bool is_above(const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
  return a && b && *a > *b;
}

std::string shown(const std::optional<std::int64_t>& ns) {
  return ns ? fmt::format("{} ns", *ns) : "unknown";
}

/// The printed precision of a time: three decimals of its unit.
double resolution_ns(std::int64_t ns) {
  if (ns < 1'000'000) return 1;
  return ns < 1'000'000'000 ? 1e3 : 1e6;
}

class RowChecker {
 public:
  RowChecker(const KernelTable& table, const KernelRow& row, bool has_shares)
      : whole_ns_(table.whole_ns.value_or(table.total_ns)), row_(row), has_shares_(has_shares) {}

  std::vector<std::string> problems() {
    check_signs();
    check_share();
    check_total();
    check_order();
    return std::move(problems_);
  }

 private:
  void check_signs() {
    bool negative = row_.instances < 0 || row_.total_ns < 0 || row_.avg_ns < 0;
    for (const auto* ns : {&row_.med_ns, &row_.min_ns, &row_.max_ns, &row_.stddev_ns}) {
      negative = negative || ns->value_or(0) < 0;
    }
    if (negative) {
      problems_.emplace_back("it has a negative value");
    }
  }

  void check_share() {
    if (!has_shares_ || whole_ns_ <= 0) return;
    const double share = 100 * static_cast<double>(row_.total_ns) / static_cast<double>(whole_ns_);
    if (std::abs(row_.time_pct - share) <= kShareTolerance) return;
    problems_.push_back(
        fmt::format("its share is given as {:.1f} % but its total is {:.1f} % of the table's",
                    row_.time_pct, share));
  }

  void check_total() {
    const auto total = static_cast<double>(row_.total_ns);
    const auto instances = static_cast<double>(row_.instances);
    const double product = static_cast<double>(row_.avg_ns) * instances;
    const double rounding =
        resolution_ns(row_.total_ns) + std::abs(instances) * resolution_ns(row_.avg_ns);
    if (std::abs(total - product) <= kTotalTolerance * std::abs(total) + rounding) return;
    problems_.push_back(fmt::format("its total is {} ns but {} instances of {} ns are {:.0f} ns",
                                    row_.total_ns, row_.instances, row_.avg_ns, product));
  }

  void check_order() {
    const bool wrong = is_above(row_.min_ns, row_.med_ns) || is_above(row_.med_ns, row_.max_ns) ||
                       is_above(row_.min_ns, row_.max_ns);
    if (!wrong) return;
    problems_.push_back(fmt::format("min {}, med {} and max {} are not in this order",
                                    shown(row_.min_ns), shown(row_.med_ns), shown(row_.max_ns)));
  }

  std::int64_t whole_ns_;  ///< of which the shares are
  const KernelRow& row_;
  bool has_shares_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> inconsistencies(const KernelTable& table) {
  const bool shares = has_shares(table);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const KernelRow& row = table.rows[i];
    const std::vector<std::string> problems = RowChecker(table, row, shares).problems();
    if (problems.empty()) continue;
    sentences.push_back(row.line > 0 ? fmt::format("Line {}", row.line)
                                     : fmt::format("Row {}", i + 1));
    sentences.back() += " does not add up: " + fmt::format("{}", fmt::join(problems, "; ")) + ".";
  }
  return sentences;
}

}  // namespace tactus
