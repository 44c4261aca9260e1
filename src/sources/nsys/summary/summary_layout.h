#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/text/csv_splitter.h"

namespace tactus::nsys {

/// The columns of a kernel summary.
enum class SummaryField : std::uint8_t {
  kTime,  ///< share of the total
  kTotal,
  kInstances,
  kAvg,
  kMed,
  kMin,
  kMax,
  kStdDev,
  kName,
};
inline constexpr std::size_t kSummaryFields = 9;

/// How a table separates its columns, and which column is which:
///
///     Time<tab>Total Time<tab>Instances<tab>...<tab>Name                the GUI
///     Time (%),Total Time (ns),Instances,...,Name                       nsys stats --format csv
///      Time (%)  Total Time (ns)  Instances  ...          Name          nsys stats
class SummaryLayout {
 public:
  static constexpr char kBlanks = ' ';

  /// Nothing if the line is not a header: it must name at least Time and Total Time.
  static std::optional<SummaryLayout> from_header(std::string_view line);

  /// A tab, a comma, or kBlanks for columns separated by blanks.
  char separator() const { return separator_; }
  std::size_t columns() const { return columns_; }
  /// How many of its columns are columns of a kernel summary.
  std::size_t known_columns() const;
  bool has(SummaryField field) const { return place(field).has_value(); }
  std::optional<std::size_t> place(SummaryField field) const { return places_[index(field)]; }
  /// The unit in the heading: "ns" of "Avg (ns)"; empty if there is none.
  std::string_view unit(SummaryField field) const { return units_[index(field)]; }
  /// True for a table of kernels, even with columns missing.
  bool is_kernel_table() const;

 private:
  static std::size_t index(SummaryField field) { return static_cast<std::size_t>(field); }
  void take_heading(std::string_view heading, std::size_t column);

  char separator_ = '\t';
  std::size_t columns_ = 0;
  std::array<std::optional<std::size_t>, kSummaryFields> places_;
  std::array<std::string, kSummaryFields> units_;
};

/// Splits lines of one table into cells.
class SummaryCells {
 public:
  explicit SummaryCells(const SummaryLayout& layout)
      : layout_(layout), splitter_(layout.separator()) {}

  /// True if the line looks like a row of the table, readable or not.
  bool split(std::string_view line);

  /// True if there is a cell for every column and the last is not cut off inside quotes.
  bool complete() const { return closed_ && cells_.size() == layout_.columns(); }
  /// The cell without blanks around it; empty for a missing column.
  std::string_view operator[](SummaryField field) const;
  /// The text of an extra cell before the row.
  std::string_view typed_in_front() const { return typed_in_front_; }

 private:
  void split_at_blanks(std::string_view line);
  void split_off_front();

  SummaryLayout layout_;
  CsvSplitter splitter_;
  std::vector<std::string_view> cells_;
  std::string_view typed_in_front_;
  bool closed_ = true;
};

}  // namespace tactus::nsys
