#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
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
  // Only in some reports, beside all of these.
  kGrid,
  kBlock,
  kCategory,  ///< kernel or memory operation
  kOperation,
};
inline constexpr std::size_t kSummaryFields = 9;  ///< that all kernel summaries have
inline constexpr std::size_t kAllSummaryFields = 13;

/// How a table separates its columns, and which column is which:
///
///     Time<tab>Total Time<tab>Instances<tab>...<tab>Name                the GUI
///     Time (%),Total Time (ns),Instances,...,Name                       nsys stats --format csv
///      Time (%)  Total Time (ns)  Instances  ...          Name          nsys stats
///     | Time (%) | Total Time (ns) | Instances | ... | Name |           Markdown, and with frames
///     {"Time (%)":60.0,"Total Time (ns)":600,...,"Name":"f"},           nsys stats --format json
///        Type  Time(%)      Time     Calls       Avg ...  Name          nvprof
class SummaryLayout {
 public:
  static constexpr char kBlanks = ' ';
  static constexpr char kBars = '|';
  static constexpr char kJson = '{';

  /// Nothing if the line is not a header: it must name at least Time and Total Time. A row of JSON
  /// is its own header.
  static std::optional<SummaryLayout> from_header(std::string_view line);

  /// A tab, a comma, or one of the constants.
  char separator() const { return separator_; }
  std::size_t columns() const { return columns_; }
  /// How many of the columns that all kernel summaries have are there.
  std::size_t known_columns() const;
  bool has(SummaryField field) const { return place(field).has_value(); }
  std::optional<std::size_t> place(SummaryField field) const { return places_[index(field)]; }
  /// The unit in the heading: "ns" of "Avg (ns)". Without one it is that of the total; empty if the
  /// cells have theirs.
  std::string_view unit(SummaryField field) const;
  /// nvprof's CSV has the units in a line of their own: ",%,ms,,us,us,us,". False if this is none.
  bool take_units(std::string_view line);
  /// How many words a column of a table separated by blanks has.
  std::size_t words_in(std::size_t column) const;
  /// True for a table of kernels, even with columns missing.
  bool is_kernel_table() const;
  bool is_nvprof() const { return is_nvprof_; }
  /// True for nvprof's with a column that says what the first of several rows is.
  bool has_types() const { return has_types_; }

  bool operator==(const SummaryLayout&) const = default;

 private:
  static std::size_t index(SummaryField field) { return static_cast<std::size_t>(field); }
  void take_headings(std::span<const std::string_view> headings);
  void take_heading(std::string_view heading, std::size_t column);

  char separator_ = '\t';
  bool is_nvprof_ = false;
  bool has_types_ = false;
  std::size_t columns_ = 0;
  std::array<std::optional<std::size_t>, kAllSummaryFields> places_;
  std::array<std::string, kAllSummaryFields> units_;
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
  /// The cell without blanks around it; empty for a missing column, and for "-".
  std::string_view operator[](SummaryField field) const;
  /// The text of an extra cell before the row.
  std::string_view typed_in_front() const { return typed_in_front_; }

 private:
  void split_at_separators(std::string_view line);
  void split_at_blanks(std::string_view line);
  void split_off_front();

  SummaryLayout layout_;
  CsvSplitter splitter_;
  std::vector<std::string_view> cells_;
  std::vector<std::string> held_;  ///< cells that are not as they stand in the line
  std::string_view typed_in_front_;
  bool closed_ = true;
};

}  // namespace tactus::nsys
