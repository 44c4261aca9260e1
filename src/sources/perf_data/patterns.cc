#include <array>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "run/args/value.h"
#include "run/pattern_columns.h"
#include "sources/perf_data/perf_data.h"
#include "sources/text/csv_reader.h"
#include "sources/text/finish_source.h"
#include "sources/text/number.h"

namespace tactus::perf_data {
namespace {

using Content = PatternColumn::Content;

/// Copies rows of one file to the run's patterns.
class PatternRows {
 public:
  PatternRows(const CsvReader& csv, RunBuilder& builder) : csv_(csv), builder_(builder) {
    for (const PatternColumn& column : kPatternColumns) places_.push_back(csv.column(column.name));
  }

  /// False if the row does not say which cycle and process it is about.
  bool add() {
    std::array<std::int64_t, kPatternColumns.size()> values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string_view text = places_[i] ? csv_.field(*places_[i]) : std::string_view();
      if (!read(i, text, above_[i])) return false;
      values[i] = above_[i].value;
    }
    Patterns& patterns = builder_.run().patterns;
    for (std::size_t i = 0; i < values.size(); ++i) {
      patterns.columns[i].writable().append(values[i]);
    }
    ++patterns.rows;
    return true;
  }

 private:
  /// A field and its parsed value. Most fields are equal to the row above.
  struct Cell {
    std::string text;
    std::int64_t value = 0;
    bool known = false;
  };

  /// False if the column must hold a whole number and does not.
  bool read(std::size_t column, std::string_view text, Cell& cell) {
    if (cell.known && cell.text == text) return true;
    const bool needed = column == Patterns::kCycle || column == Patterns::kPid;
    cell.known = true;
    switch (kPatternColumns[column].content) {
      case Content::kWhole: {
        const std::optional<std::int64_t> whole = read_whole(trim(text));
        if (!whole && needed) return cell.known = false;
        cell.value = whole.value_or(kUnknownInstances);
        break;
      }
      case Content::kText:
        cell.value = builder_.intern_repaired(text).value;
        cell.known = is_ascii(text);  // repairs are counted each time
        break;
      case Content::kDecimal:
        cell.value = Decimal::from_text(trim(text), builder_.run().strings);
        break;
    }
    cell.text = text;
    return true;
  }

  const CsvReader& csv_;
  RunBuilder& builder_;
  std::vector<std::optional<std::size_t>> places_;  ///< in the file, by Patterns::ColumnIndex
  std::array<Cell, kPatternColumns.size()> above_;  ///< the row above
};

std::vector<std::string_view> required_columns() {
  std::vector<std::string_view> names;
  for (const PatternColumn& column : kPatternColumns) {
    if (column.required) names.push_back(column.name);
  }
  return names;
}

}  // namespace

bool is_patterns(std::string_view head) {
  static constexpr std::string_view kTelling[] = {"cycle", "pid", "beta_pct", "function_name"};
  return has_csv_columns(head, kTelling);
}

Status import_patterns(InputBytes& bytes, RunBuilder& builder) {
  Result<CsvReader> csv = CsvReader::open(bytes);
  if (!csv) return csv.error();
  if (Status complete = csv->require(required_columns()); !complete) return complete;

  builder.begin_source(bytes.path(), "perf_data");
  PatternRows rows(*csv, builder);
  for (;;) {
    const Result<bool> more = csv->next();
    if (!more) return more.error();
    if (!*more) break;
    if (!csv->fits_header() || !rows.add()) drop_row(builder);
  }
  finish_source(*csv, bytes, builder);
  return {};
}

}  // namespace tactus::perf_data
