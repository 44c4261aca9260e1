#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/table/table_analysis.h"

namespace tactus {
namespace {

/// Shares are printed with one decimal; the rest allows for rounded totals.
constexpr double kShareTolerance = 0.06;  // [percent]
constexpr double kTotalTolerance = 0.001;

/// A missing column reads as 0 in all rows.
struct Columns {
  bool share = false;
  bool min = false;
  bool med = false;
  bool max = false;
};

Columns filled_columns(const KernelTable& table) {
  Columns columns;
  for (const KernelRow& row : table.rows) {
    columns.share |= row.time_pct != 0;
    columns.min |= row.min_ns != 0;
    columns.med |= row.med_ns != 0;
    columns.max |= row.max_ns != 0;
  }
  return columns;
}

/// The printed precision of a time: three decimals of its unit.
double resolution_ns(std::int64_t ns) {
  if (ns < 1'000'000) return 1;
  return ns < 1'000'000'000 ? 1e3 : 1e6;
}

class RowChecker {
 public:
  RowChecker(const KernelTable& table, const KernelRow& row, const Columns& columns)
      : table_(table), row_(row), columns_(columns) {}

  std::vector<std::string> problems() {
    check_signs();
    check_share();
    check_total();
    check_order();
    return std::move(problems_);
  }

 private:
  void check_signs() {
    if (row_.instances < 0 || row_.total_ns < 0 || row_.avg_ns < 0 || row_.med_ns < 0 ||
        row_.min_ns < 0 || row_.max_ns < 0 || row_.stddev_ns < 0) {
      problems_.emplace_back("it has a negative value");
    }
  }

  void check_share() {
    if (!columns_.share || table_.total_ns <= 0) return;
    const double share =
        100 * static_cast<double>(row_.total_ns) / static_cast<double>(table_.total_ns);
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
    const bool wrong = (columns_.min && columns_.med && row_.min_ns > row_.med_ns) ||
                       (columns_.med && columns_.max && row_.med_ns > row_.max_ns) ||
                       (columns_.min && columns_.max && row_.min_ns > row_.max_ns);
    if (!wrong) return;
    problems_.push_back(fmt::format("min {} ns, med {} ns and max {} ns are not in this order",
                                    row_.min_ns, row_.med_ns, row_.max_ns));
  }

  const KernelTable& table_;
  const KernelRow& row_;
  const Columns& columns_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> inconsistencies(const KernelTable& table) {
  const Columns columns = filled_columns(table);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const KernelRow& row = table.rows[i];
    const std::vector<std::string> problems = RowChecker(table, row, columns).problems();
    if (problems.empty()) continue;
    sentences.push_back(row.line > 0 ? fmt::format("Line {}", row.line)
                                     : fmt::format("Row {}", i + 1));
    sentences.back() += " does not add up: " + fmt::format("{}", fmt::join(problems, "; ")) + ".";
  }
  return sentences;
}

}  // namespace tactus
