#include "sources/nsys/summary/summary_rows.h"

#include <cmath>
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
    row.med_ns = time(SummaryField::kMed).ns;
    row.min_ns = time(SummaryField::kMin).ns;
    row.max_ns = time(SummaryField::kMax).ns;
    row.stddev_ns = time(SummaryField::kStdDev).ns;
    if (unreadable_ > 0 || !share || !instances || name.empty()) return std::nullopt;

    builder_.repair("unknown_unit", unknown_units_);
    builder_.repair("missing_value", missing_);
    row.instances = *instances;
    if (cells_[SummaryField::kAvg].empty() && row.instances > 0) {
      row.avg_ns = row.total_ns / row.instances;
    }
    row.time_pct = share->percent;
    row.name = repaired_text(name, builder_);
    row.line = line.number;
    take_typed(*share, row);
    return out;
  }

 private:
  /// A missing column and an empty cell read as 0, except the total: a row without a total is
  /// useless.
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

bool in_order(const SummaryLayout& layout, const KernelRow& row) {
  const bool has_min = layout.has(SummaryField::kMin);
  const bool has_med = layout.has(SummaryField::kMed);
  const bool has_max = layout.has(SummaryField::kMax);
  return !(has_min && has_med && row.min_ns > row.med_ns) &&
         !(has_med && has_max && row.med_ns > row.max_ns) &&
         !(has_min && has_max && row.min_ns > row.max_ns);
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

InconsistentRows find_inconsistent_rows(const std::vector<SummaryRow>& rows,
                                        const SummaryLayout& layout, std::int64_t total_ns) {
  InconsistentRows found;
  for (const SummaryRow& printed : rows) {
    if (share_fits(printed.row, total_ns) && total_fits(printed) && in_order(layout, printed.row)) {
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
