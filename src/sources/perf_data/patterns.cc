#include <vector>

#include "run/pattern_columns.h"
#include "run/value.h"
#include "sources/perf_data/perf_data.h"
#include "sources/text/csv_reader.h"
#include "sources/text/finish_source.h"
#include "sources/text/number.h"

namespace tactus::perf_data {
namespace {

using Content = PatternColumn::Content;

/// Carries rows of one file over to the run's patterns.
class PatternRows {
 public:
  PatternRows(const CsvReader& csv, RunBuilder& builder) : csv_(csv), builder_(builder) {
    for (const PatternColumn& column : kPatternColumns) places_.push_back(csv.column(column.name));
  }

  /// False if the row does not say which cycle and process it is about.
  bool add() {
    const auto cycle = whole(Patterns::kCycle);
    const auto pid = whole(Patterns::kPid);
    if (!cycle || !pid) return false;
    Patterns& patterns = builder_.run().patterns;
    for (std::size_t i = 0; i < kPatternColumns.size(); ++i) {
      patterns.columns[i].writable().append(value(i));
    }
    ++patterns.rows;
    return true;
  }

 private:
  std::string_view field(std::size_t column) const {
    return places_[column] ? csv_.field(*places_[column]) : std::string_view();
  }
  std::optional<std::int64_t> whole(std::size_t column) const {
    return read_whole(trim(field(column)));
  }
  std::int64_t value(std::size_t column) {
    switch (kPatternColumns[column].content) {
      case Content::kWhole: return whole(column).value_or(kUnknownInstances);
      case Content::kText: return builder_.intern_repaired(field(column)).value;
      case Content::kDecimal:
        return Decimal::from_text(trim(field(column)), builder_.run().strings);
    }
    return 0;
  }

  const CsvReader& csv_;
  RunBuilder& builder_;
  std::vector<std::optional<std::size_t>> places_;  ///< in the file, by Patterns::ColumnIndex
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
    if (!csv->fits_header() || !rows.add()) drop_row(*csv, bytes, builder);
  }
  finish_source(bytes, builder);
  return {};
}

}  // namespace tactus::perf_data
