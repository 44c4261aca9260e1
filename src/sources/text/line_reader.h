#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sources/bytes/input_bytes.h"

namespace tactus {

/// The lines of an input, one at a time. Lines end in LF or CRLF; the last one may have no end. A
/// byte order mark before the first line is left out.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = 64 << 20;  ///< [bytes], without its end

  explicit LineReader(InputBytes& bytes) : bytes_(&bytes) {}

  /// Moves to the next line; false after the last one. If compressed data ends inside a line, that
  /// line is not returned: half a number looks like a number.
  Result<bool> next();

  /// The line without its end; valid until the next call of next().
  std::string_view line() const { return line_; }
  /// Its line end: "\n", "\r\n", or "" at the end of the input.
  std::string_view ending() const { return ending_; }
  /// Counted from 1; 0 before the first.
  std::uint64_t line_number() const { return line_number_; }
  /// Bytes of text up to the end of the line.
  std::uint64_t bytes_consumed() const { return bytes_consumed_; }

  const InputBytes& bytes() const { return *bytes_; }

  /// Holds the current line and all that follow, until one of the next two.
  void hold();
  /// Goes back in front of the held line: next() returns it again.
  void go_back();
  void let_go() { held_.reset(); }

 private:
  /// Where a line starts.
  struct Place {
    std::size_t begin = 0;  ///< in the buffer
    std::uint64_t lines_before = 0;
    std::uint64_t bytes_before = 0;
  };

  Status fill();
  Result<bool> give_out(std::size_t length, std::string_view ending);

  InputBytes* bytes_;
  std::string buffer_;
  Place current_;  ///< of `line_`
  std::optional<Place> held_;
  std::size_t begin_ = 0;    ///< of the next line
  std::size_t scanned_ = 0;  ///< no line ends between `begin_` and here
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::string_view line_;
  std::string_view ending_;
  std::uint64_t line_number_ = 0;
  std::uint64_t bytes_consumed_ = 0;
};

/// The text without a byte order mark in front.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace tactus
