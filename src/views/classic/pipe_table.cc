#include "views/classic/pipe_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"

namespace tactus {
namespace {

constexpr std::size_t kRoomBesideHead = 2;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// "13", "-6", "+1"
bool is_whole(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::optional<double> read_number(std::string_view text) {
  const std::string_view given = text;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('+') || (text.size() != given.size() && text.starts_with('-'))) return {};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (std::isfinite(value)) return value;
  const std::string word = lower_case(given);
  if (word == "inf" || word == "-inf" || word == "nan") return value;
  return {};
}

/// Digits after the point, or after the e of a number without a point; -1 without either, and for
/// text that tabulate no longer takes as a number once it is grouped.
std::ptrdiff_t digits_behind_point(std::string_view text) {
  if (is_whole(text) || !read_number(text)) return -1;
  std::size_t at = text.rfind('.');
  if (at == std::string_view::npos) at = text.rfind('e');
  if (at == std::string_view::npos) return -1;
  return static_cast<std::ptrdiff_t>(text.size() - at) - 1;
}

void align_at_point(std::vector<std::string>& cells) {
  std::vector<std::ptrdiff_t> digits;
  digits.reserve(cells.size());
  for (const std::string& cell : cells) digits.push_back(digits_behind_point(cell));
  const std::ptrdiff_t most = *std::max_element(digits.begin(), digits.end());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].append(static_cast<std::size_t>(most - digits[i]), ' ');
  }
}

std::string short_text(double value) {
  std::string text;
  append_short(value, text);
  return text;
}

/// All cells as numbers; nothing if one of them is not a number.
std::optional<std::vector<double>> read_numbers(const std::vector<std::string>& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells) {
    const std::optional<double> number = read_number(cell);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

std::string grouped_text(double value) {
  std::string text;
  append_fixed(value, 2, text);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return printable(text);
}

std::string shortest_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

PipeTable::PipeTable(std::vector<std::string> heads, Numbers numbers) : numbers_(numbers) {
  for (std::string& head : heads) columns_.push_back({on_one_line(std::move(head)), {}});
}

void PipeTable::add(std::vector<std::string> cells) {
  CHECK(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns_[i].cells.push_back(on_one_line(std::move(cells[i])));
  }
}

PipeTable::SetColumn PipeTable::set(const Column& column) const {
  SetColumn out{.head = column.head, .cells = column.cells, .rewritten = {}};
  const std::optional<std::vector<double>> numbers = read_numbers(column.cells);
  out.numeric = numbers && !column.cells.empty();
  if (out.numeric) {
    const bool whole = std::all_of(column.cells.begin(), column.cells.end(), is_whole);
    for (std::size_t i = 0; i < column.cells.size(); ++i) {
      const double number = (*numbers)[i];
      out.rewritten.push_back(whole                           ? column.cells[i]
                              : numbers_ == Numbers::kGrouped ? grouped_text(number)
                                                              : short_text(number));
    }
    align_at_point(out.rewritten);
    out.cells = out.rewritten;
  }
  out.width = text_width(column.head) + kRoomBesideHead;
  for (const std::string& cell : out.cells) out.width = std::max(out.width, text_width(cell));
  return out;
}

void PipeTable::SetColumn::append_padded(std::string_view text, std::string& out) const {
  const std::size_t blanks = width - text_width(text);
  out.append("| ").append(numeric ? blanks : 0, ' ').append(text);
  out.append(numeric ? 0 : blanks, ' ').push_back(' ');
}

void PipeTable::SetColumn::append_rule(std::string& out) const {
  out.append("|").append(width + 2, '-');
  if (cells.empty()) return;
  out[numeric ? out.size() - 1 : out.size() - width - 2] = ':';
}

void PipeTable::append_to(std::string& out) const {
  std::vector<SetColumn> columns;
  std::size_t line_bytes = 2;
  for (const Column& column : columns_) {
    columns.push_back(set(column));
    line_bytes += columns.back().width + 3;
  }
  const std::size_t rows = columns.front().cells.size();
  // Also room for characters of more than one byte; few lines have them.
  out.reserve(out.size() + line_bytes * (rows + 4));
  for (const SetColumn& column : columns) column.append_padded(column.head, out);
  out += "|\n";
  for (const SetColumn& column : columns) column.append_rule(out);
  out += "|\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (const SetColumn& column : columns) column.append_padded(column.cells[row], out);
    out += "|\n";
  }
}

std::string PipeTable::to_text() const {
  std::string out;
  append_to(out);
  return out;
}

}  // namespace tactus
