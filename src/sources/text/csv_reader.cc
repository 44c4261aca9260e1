#include "sources/text/csv_reader.h"

#include <algorithm>
#include <limits>

#include "sources/text/number.h"

namespace tactus {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
/// So near to the end of the last unclosed row, a row may still be one of several lines.
constexpr std::uint64_t kLooksAgain = 16;  // [lines]

}  // namespace

Result<CsvReader> CsvReader::open(InputBytes& bytes) {
  CsvReader reader(bytes);
  const Result<bool> found = reader.next();
  if (!found) return found.error();
  if (!*found) {
    return input_error(bytes.cut_short() ? bytes.problem()
                                         : bytes.path() + ": is empty; a header was expected");
  }
  for (const std::string_view name : reader.fields()) reader.header_.emplace_back(trim(name));
  return reader;
}

std::optional<std::size_t> CsvReader::column(std::string_view name) const {
  const auto at = std::find(header_.begin(), header_.end(), name);
  if (at == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - header_.begin());
}

Status CsvReader::require(std::span<const std::string_view> names) const {
  std::string missing;
  for (const std::string_view name : names) {
    if (column(name)) continue;
    if (!missing.empty()) missing += ", ";
    missing += name;
  }
  if (missing.empty()) return {};
  return input_error(lines_.bytes().path() + ": the header in its first line lacks " + missing);
}

Result<bool> CsvReader::next() {
  do {
    Result<bool> more = lines_.next();
    if (!more || !*more) return more;
  } while (lines_.line().empty());
  line_number_ = lines_.line_number();

  if (splitter_.start(lines_.line())) return true;
  return next_open_row();
}

/// A row whose first line ends inside quotes: it goes on in the next line, or a quote is missing.
Result<bool> CsvReader::next_open_row() {
  if (!is_known_to_be_unclosed()) {
    lines_.hold();
    Result<bool> closed = find_end();
    if (!closed) return closed;
    if (*closed && (header_.empty() || fits_header())) {
      lines_.let_go();
      return true;
    }
    lines_.go_back();
    if (Result<bool> again = lines_.next(); !again) return again;
  }
  splitter_.start_unclosed(lines_.line());
  if (unclosed_lines_++ == 0) first_unclosed_line_ = line_number_;
  return true;
}

/// Adds lines up to the closing quote; false if there is none, or only very far away.
Result<bool> CsvReader::find_end() {
  for (bool closed = false;;) {
    const std::string_view line_end = lines_.ending();
    Result<bool> more = lines_.next();
    open_until_ = more && *more ? lines_.line_number() : kNever;
    if (!more || !*more) return more;
    closed = splitter_.go_on(line_end, lines_.line());
    if (splitter_.has_misplaced_quote()) return false;
    if (closed || splitter_.held_bytes() > LineReader::kLongestLine) return closed;
  }
}

/// Looking for the end of every row again would take forever on a file of many such quotes.
bool CsvReader::is_known_to_be_unclosed() const {
  return line_number_ + kLooksAgain < open_until_;
}

bool has_csv_columns(std::string_view head, std::span<const std::string_view> names) {
  head = without_byte_order_mark(head);
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));
  CsvSplitter splitter;
  splitter.start(head.substr(0, head.find_first_of("\r\n")));
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::any_of(splitter.fields().begin(), splitter.fields().end(),
                       [&](std::string_view field) { return trim(field) == name; });
  });
}

}  // namespace tactus
