#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// Splits rows of separated values into fields, as in RFC 4180:
///
///     1,"void f<int, 4>(T *)",a "b" c      three fields, the second with a comma
///     2,"says ""hi""                       two fields, the second goes on with the next line
///
/// A quote counts only at the start of a field. Anywhere else it is text, and so is everything
/// after a closing quote.
class CsvSplitter {
 public:
  explicit CsvSplitter(char separator = ',') : separator_(separator) {}

  /// Starts a row. False if its last field is quoted and not closed: add the next line.
  bool start(std::string_view line);
  /// Starts a row whose last quote is never closed: that quote is text.
  void start_unclosed(std::string_view line);
  /// Adds the next line of an open row, and the line end between the two.
  bool go_on(std::string_view line_end, std::string_view line);
  /// True if text follows a quote that closed a field of several lines. It rather opens another
  /// field, and the one that it closed has no end.
  bool has_misplaced_quote() const { return has_misplaced_quote_; }

  /// Valid until the next call, and as long as the line given to start. If a row is open after
  /// start, its last field holds the text so far; later it has none until it is closed.
  std::span<const std::string_view> fields() const { return fields_; }
  /// Bytes held for an open row.
  std::size_t held_bytes() const { return text_.size(); }

 private:
  void clear();
  bool split_in_place(std::string_view line);
  bool split_quoted(std::string_view rest);
  bool take_quoted(std::string_view& rest);
  bool take_plain(std::string_view& rest);
  void point_at_text();

  char separator_;
  bool has_misplaced_quote_ = false;
  std::string text_;                     ///< the fields of an assembled row, one after the other
  std::vector<std::size_t> field_ends_;  ///< in text_
  std::vector<std::string_view> fields_;
};

}  // namespace tactus
