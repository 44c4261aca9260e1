#include "sources/nsys/summary/summary_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/utf8.h"
#include "sources/nsys/summary/summary_cell.h"

namespace tactus::nsys {
namespace {

/// Time is printed with one decimal; the rest allows for rounded totals.
constexpr double kShareTolerance = 0.06;  // [percent]
constexpr double kTotalTolerance = 0.001;

bool looks_like_path(std::string_view text) {
  return text.find_first_of("/.") != std::string_view::npos;
}

class RowReader {
 public:
  RowReader(const SummaryLayout& layout, RunBuilder& builder)
      : layout_(layout), cells_(layout), builder_(builder) {}

  std::optional<SummaryRow> read(const SummaryLine& line) {
    if (!cells_.split(line.text) || !cells_.complete()) return std::nullopt;
    unreadable_ = unknown_units_ = missing_ = 0;
    const std::optional<ShareCell> share = read_share(cells_[SummaryField::kTime]);
    const std::optional<std::int64_t> instances = read_count(cells_[SummaryField::kInstances]);
    const std::string_view name = cells_[SummaryField::kName];
    const TimeCell total = time(SummaryField::kTotal);
    const TimeCell avg = time(SummaryField::kAvg);
    SummaryRow out{.row = {},
                   .total_resolution_ns = total.resolution_ns,
                   .avg_resolution_ns = avg.resolution_ns};
    KernelRow& row = out.row;
    row.total_ns = total.ns;
    row.avg_ns = avg.ns;
    row.med_ns = known_time(SummaryField::kMed);
    row.min_ns = known_time(SummaryField::kMin);
    row.max_ns = known_time(SummaryField::kMax);
    row.stddev_ns = known_time(SummaryField::kStdDev);
    row.grid = read_dimensions(cells_[SummaryField::kGrid]);
    row.block = read_dimensions(cells_[SummaryField::kBlock]);
    if (unreadable_ > 0 || !share || !instances || name.empty()) return std::nullopt;

    builder_.repair("unknown_unit", unknown_units_);
    builder_.repair("missing_value", missing_);
    row.instances = *instances;
    if ((cells_[SummaryField::kAvg].empty() || avg.unknown_unit) && row.instances > 0) {
      row.avg_ns = row.total_ns / row.instances;
    }
    row.time_pct = share->percent;
    row.name = repaired_text(name, builder_);
    row.line = line.number;
    take_typed(*share, row);
    return out;
  }

 private:
  /// Unknown without the column or the cell.
  std::optional<std::int64_t> known_time(SummaryField field) {
    const TimeCell cell = time(field);
    if (!layout_.has(field) || cells_[field].empty() || cell.unknown_unit) return std::nullopt;
    return cell.ns;
  }

  /// 0 without the column or the cell, except the total: a row without a total is useless.
  TimeCell time(SummaryField field) {
    if (!layout_.has(field)) return {};
    if (cells_[field].empty() && field != SummaryField::kTotal) {
      ++missing_;
      return {};
    }
    const std::optional<TimeCell> cell = read_time(cells_[field], layout_.unit(field));
    if (!cell) ++unreadable_;
    if (cell && cell->unknown_unit) ++unknown_units_;
    return cell.value_or(TimeCell{});
  }

  void take_typed(const ShareCell& share, KernelRow& row) {
    const std::string_view typed =
        cells_.typed_in_front().empty() ? share.typed_in_front : cells_.typed_in_front();
    if (looks_like_path(typed)) {
      row.typed_source = repaired_text(typed, builder_);
    } else if (!typed.empty()) {
      builder_.repair("stray_text_before_row");
    }
  }

  const SummaryLayout& layout_;
  SummaryCells cells_;
  RunBuilder& builder_;

  // Cells of the row being read.
  std::uint64_t unreadable_ = 0;
  std::uint64_t unknown_units_ = 0;
  std::uint64_t missing_ = 0;
};

bool share_fits(const KernelRow& row, std::int64_t total_ns) {
  if (total_ns <= 0) return true;
  const double share = 100 * static_cast<double>(row.total_ns) / static_cast<double>(total_ns);
  return std::abs(row.time_pct - share) <= kShareTolerance;
}

bool total_fits(const SummaryRow& printed) {
  const KernelRow& row = printed.row;
  const auto total = static_cast<double>(row.total_ns);
  const auto instances = static_cast<double>(row.instances);
  const double rounding = static_cast<double>(printed.total_resolution_ns) +
                          instances * static_cast<double>(printed.avg_resolution_ns);
  const double gap = std::abs(total - static_cast<double>(row.avg_ns) * instances);
  return gap <= kTotalTolerance * total + rounding;
}

bool is_above(const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
  return a && b && *a > *b;
}

bool in_order(const KernelRow& row) {
  return !is_above(row.min_ns, row.med_ns) && !is_above(row.med_ns, row.max_ns) &&
         !is_above(row.min_ns, row.max_ns);
}

}  // namespace

std::vector<SummaryRow> read_rows(const SummaryTable& table, RunBuilder& builder) {
  RowReader reader(table.layout, builder);
  std::vector<SummaryRow> rows;
  for (const SummaryLine& line : table.rows) {
    if (std::optional<SummaryRow> row = reader.read(line)) {
      rows.push_back(std::move(*row));
    } else {
      builder.drop("unreadable_row");
    }
  }
  return rows;
}

std::optional<std::int64_t> whole_of_shares(const std::vector<SummaryRow>& rows,
                                            std::int64_t total_ns) {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  for (const SummaryRow& printed : rows) {
    const auto row_ns = static_cast<double>(printed.row.total_ns);
    const double percent = printed.row.time_pct;
    least = std::max(least, 100 * row_ns / (percent + kShareTolerance));
    if (percent > kShareTolerance) {
      most = std::min(most, 100 * row_ns / (percent - kShareTolerance));
    }
  }
  const bool larger = least > static_cast<double>(total_ns) && least <= most;
  if (!larger || most > static_cast<double>(kLatestTime)) return std::nullopt;
  return std::llround((least + most) / 2);
}

InconsistentRows find_inconsistent_rows(const std::vector<SummaryRow>& rows,
                                        std::int64_t total_ns) {
  InconsistentRows found;
  for (const SummaryRow& printed : rows) {
    if (share_fits(printed.row, total_ns) && total_fits(printed) && in_order(printed.row)) {
      continue;
    }
    if (found.count++ == 0) found.first_line = printed.row.line;
  }
  return found;
}

std::string repaired_text(std::string_view text, RunBuilder& builder) {
  bool repaired = false;
  std::string valid = to_valid_utf8(text, repaired);
  if (repaired) builder.repair("invalid_text");
  return valid;
}

}  // namespace tactus::nsys
