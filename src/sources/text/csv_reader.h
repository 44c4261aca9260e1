#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/text/csv_splitter.h"
#include "sources/text/line_reader.h"

namespace tactus {

/// The rows of a CSV file (RFC 4180) under a header that names the columns. Blank lines are
/// skipped.
class CsvReader {
 public:
  /// Reads the header; an input without a header is an error.
  static Result<CsvReader> open(InputBytes& bytes);

  /// The place of a column, by its name in the header.
  std::optional<std::size_t> column(std::string_view name) const;
  /// An input error that names the columns that the header lacks.
  Status require(std::span<const std::string_view> names) const;

  /// Moves to the next row; false after the last one.
  Result<bool> next();

  /// True if the row has as many fields as the header.
  bool fits_header() const { return closed_ && fields().size() == header_.size(); }
  /// False if the input ended inside a quoted field of this row, which is then the last row.
  bool closed() const { return closed_; }
  /// Valid until the next call of next().
  std::span<const std::string_view> fields() const { return splitter_.fields(); }
  std::string_view field(std::size_t index) const { return fields()[index]; }
  /// Where the row starts, counted from 1.
  std::uint64_t line_number() const { return line_number_; }

 private:
  explicit CsvReader(InputBytes& bytes) : lines_(bytes) {}

  LineReader lines_;
  CsvSplitter splitter_;
  std::vector<std::string> header_;
  std::uint64_t line_number_ = 0;
  bool closed_ = true;
};

/// True if the first line of a text is a CSV header with all of these columns, in any order.
bool has_csv_columns(std::string_view head, std::span<const std::string_view> names);

}  // namespace tactus
