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
///
///     1,"two
///     lines",3        one row
///     4,"never        a quote that is not closed, or only where the row does not fit the header,
///     is 5,6,7           text: these are two rows
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
  bool fits_header() const { return fields().size() == header_.size(); }
  /// Valid until the next call of next().
  std::span<const std::string_view> fields() const { return splitter_.fields(); }
  std::string_view field(std::size_t index) const { return fields()[index]; }
  /// Where the row starts, counted from 1.
  std::uint64_t line_number() const { return line_number_; }

  /// Lines so far with a quote that is not closed, and the first of them.
  std::uint64_t unclosed_lines() const { return unclosed_lines_; }
  std::uint64_t first_unclosed_line() const { return first_unclosed_line_; }

 private:
  explicit CsvReader(InputBytes& bytes) : lines_(bytes) {}

  Result<bool> next_open_row();
  Result<bool> find_end();
  bool is_known_to_be_unclosed() const;

  LineReader lines_;
  CsvSplitter splitter_;
  std::vector<std::string> header_;
  std::uint64_t line_number_ = 0;
  /// The line where the last row that turned out to be unclosed ended. From each line before it, a
  /// quote that is open at its end stays open up to here.
  std::uint64_t open_until_ = 0;
  std::uint64_t unclosed_lines_ = 0;
  std::uint64_t first_unclosed_line_ = 0;
};

/// True if the first line of a text is a CSV header with all of these columns, in any order.
bool has_csv_columns(std::string_view head, std::span<const std::string_view> names);

}  // namespace tactus
