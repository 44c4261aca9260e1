#include "compare/pipe_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/check.h"
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

/// Digits behind the point, or behind the e of a number without a point; -1 without either, and for
/// what tabulate does not take for a number any more once it is grouped.
std::ptrdiff_t digits_behind_point(std::string_view text) {
  if (is_whole(text) || !read_number(text)) return -1;
  std::size_t at = text.rfind('.');
  if (at == std::string_view::npos) at = text.rfind('e');
  if (at == std::string_view::npos) return -1;
  return static_cast<std::ptrdiff_t>(text.size() - at) - 1;
}

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

void align_at_point(std::vector<std::string>& cells) {
  std::ptrdiff_t most = -1;
  for (const std::string& cell : cells) most = std::max(most, digits_behind_point(cell));
  for (std::string& cell : cells) {
    cell.append(static_cast<std::size_t>(most - digits_behind_point(cell)), ' ');
  }
}

}  // namespace

std::string grouped_text(double value) {
  std::string text = fmt::format("{:.2f}", value);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > first + 3;) text.insert(at -= 3, ",");
  return text;
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

std::vector<std::string> PipeTable::lines_of(const Column& column) const {
  std::vector<std::string> cells = column.cells;
  const auto is_number = [](const std::string& cell) { return read_number(cell).has_value(); };
  const bool numeric = !cells.empty() && std::all_of(cells.begin(), cells.end(), is_number);
  if (numeric && !std::all_of(cells.begin(), cells.end(), is_whole)) {
    for (std::string& cell : cells) {
      const double value = *read_number(cell);
      cell = numbers_ == Numbers::kGrouped ? grouped_text(value) : fmt::format("{:g}", value);
    }
  }
  if (numeric) align_at_point(cells);

  std::size_t width = text_width(column.head) + kRoomBesideHead;
  for (const std::string& cell : cells) width = std::max(width, text_width(cell));
  const auto padded = [&](const std::string& text) {
    const std::string blanks(width - text_width(text), ' ');
    return numeric ? " " + blanks + text + " " : " " + text + blanks + " ";
  };
  std::string rule(width + 2, '-');
  if (!cells.empty()) (numeric ? rule.back() : rule.front()) = ':';
  std::vector<std::string> lines = {padded(column.head), std::move(rule)};
  for (const std::string& cell : cells) lines.push_back(padded(cell));
  return lines;
}

std::string PipeTable::to_text() const {
  std::vector<std::vector<std::string>> set;
  for (const Column& column : columns_) set.push_back(lines_of(column));
  std::string out;
  for (std::size_t line = 0; line < set.front().size(); ++line) {
    for (const std::vector<std::string>& column : set) out.append("|").append(column[line]);
    out += "|\n";
  }
  return out;
}

}  // namespace tactus
