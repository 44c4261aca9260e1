#include "views/common/text_table.h"

#include <algorithm>

namespace tactus {
namespace {

constexpr std::size_t kGap = 2;  // spaces between columns
constexpr std::size_t kNarrowestName = 20;

std::vector<std::string> made_printable(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  return cells;
}

}  // namespace

std::string shorten(std::string_view text, std::size_t width) {
  if (width == 0 || text_width(text) <= width) return std::string(text);
  std::string out;
  for (std::size_t taken = 0; taken + 1 < width && !text.empty(); ++taken) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    out.append(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out + "\u2026";
}

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\' || c == '<' || c == '>' || c == '*' || c == '_' || c == '`') {
      out.push_back('\\');
    }
    out.push_back(c);
  }
  return out;
}

TextTable::TextTable(std::vector<std::string> heads) : heads_(made_printable(std::move(heads))) {}

void TextTable::add(std::vector<std::string> cells) {
  rows_.push_back(made_printable(std::move(cells)));
}

std::string TextTable::to_text(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const std::string& head : heads_) widths.push_back(text_width(head));
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], text_width(row[c]));
  }
  const std::size_t last = heads_.size() - 1;
  std::size_t before_name = 0;
  for (std::size_t c = 0; c < last; ++c) before_name += widths[c] + kGap;
  const std::size_t name_width =
      width == 0 ? 0 : std::max(width > before_name ? width - before_name : 0, kNarrowestName);

  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < last; ++c) {
      out.append(widths[c] - text_width(cells[c]), ' ').append(cells[c]).append(kGap, ' ');
    }
    out.append(shorten(cells[last], name_width)).push_back('\n');
  };
  add_line(heads_);
  for (const auto& row : rows_) add_line(row);
  return out;
}

std::string TextTable::to_markdown() const {
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    out += "|";
    for (const std::string& cell : cells) out += " " + markdown_cell(cell) + " |";
    out += "\n";
  };
  add_line(heads_);
  out += "|";
  for (std::size_t c = 0; c + 1 < heads_.size(); ++c) out += "---:|";
  out += ":---|\n";
  for (const auto& row : rows_) add_line(row);
  return out;
}

}  // namespace tactus
