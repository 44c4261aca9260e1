#include "views/common/text_table.h"

#include <algorithm>
#include <map>
#include <set>

namespace tactus {
namespace {

constexpr std::size_t kGap = 2;  // spaces between columns
constexpr std::size_t kNarrowestName = 20;
constexpr std::size_t kReadableName = 32;  ///< columns give way to a name that needs it
constexpr std::size_t kCommonKept = 8;     ///< of a common beginning

/// Places of texts that are the same although `texts` differ there.
std::vector<std::vector<std::size_t>> clashes(const std::vector<std::string>& shown,
                                              const std::vector<std::string>& texts) {
  std::map<std::string_view, std::vector<std::size_t>> by_text;
  for (std::size_t i = 0; i < shown.size(); ++i) by_text[shown[i]].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& entry : by_text) {
    std::vector<std::size_t>& members = entry.second;
    const bool differ = std::any_of(members.begin(), members.end(), [&](std::size_t i) {
      return texts[i] != texts[members.front()];
    });
    if (differ) groups.push_back(std::move(members));
  }
  return groups;
}

/// Bytes that all texts of a group begin with; never half a character.
std::size_t common_beginning(const std::vector<std::string>& texts,
                             const std::vector<std::size_t>& group) {
  const std::string& first = texts[group.front()];
  std::size_t common = first.size();
  for (const std::size_t i : group) {
    std::size_t same = 0;
    while (same < std::min(common, texts[i].size()) && texts[i][same] == first[same]) ++same;
    common = same;
  }
  while (common > 0 && common < first.size() && (first[common] & 0xC0) == 0x80) --common;
  return common;
}

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

std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, std::size_t width) {
  std::vector<std::string> shown;
  shown.reserve(texts.size());
  for (const std::string& text : texts) shown.push_back(shorten(text, width));
  if (width <= 2 * kCommonKept) return shown;
  for (const std::vector<std::size_t>& group : clashes(shown, texts)) {
    const std::size_t common = common_beginning(texts, group);
    for (const std::size_t i : group) {
      const std::string tail = shorten(texts[i].substr(common), width - kCommonKept);
      shown[i] = shorten(texts[i], width - text_width(tail)) + tail;
    }
  }
  // Names that differ in several places may still look the same.
  std::set<std::string> taken(shown.begin(), shown.end());
  for (const std::vector<std::size_t>& group : clashes(shown, texts)) {
    std::map<std::string_view, std::string> numbered;
    for (const std::size_t i : group) {
      std::string& text = numbered[texts[i]];
      for (std::size_t number = 1; text.empty(); ++number) {
        const std::string mark = "#" + std::to_string(number);
        std::string tried = shorten(texts[i], width - mark.size()) + mark;
        if (taken.insert(tried).second) text = std::move(tried);
      }
      shown[i] = text;
    }
  }
  return shown;
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

namespace {

/// Lines of words, and a word that is longer than a line in pieces.
std::vector<std::string> lines_of(const std::string& text, std::size_t room) {
  std::vector<std::string> lines;
  for (std::string line : wrapped(text, room)) {
    while (text_width(line) > room) {
      std::size_t bytes = 0;
      for (std::size_t letters = 0; letters < room && bytes < line.size(); ++letters) {
        ++bytes;
        while (bytes < line.size() && (static_cast<unsigned char>(line[bytes]) & 0xC0U) == 0x80U) {
          ++bytes;
        }
      }
      lines.push_back(line.substr(0, bytes));
      line.erase(0, bytes);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> heads) : heads_(made_printable(std::move(heads))) {}

void TextTable::add(std::vector<std::string> cells) {
  rows_.push_back(made_printable(std::move(cells)));
}

std::vector<bool> TextTable::columns_that_fit(const std::vector<std::size_t>& widths,
                                              std::size_t width) const {
  const std::size_t last = heads_.size() - 1;
  std::vector<bool> fits(heads_.size(), true);
  if (width == 0 || ranks_.size() != heads_.size()) return fits;
  std::size_t needed = std::min(widths[last], kReadableName);
  for (std::size_t c = 0; c < last; ++c) needed += widths[c] + kGap;
  while (needed > width) {
    std::size_t least = last;
    for (std::size_t c = 0; c < last; ++c) {
      const bool goes = fits[c] && ranks_[c] > 0 && (least == last || ranks_[c] > ranks_[least]);
      if (goes) least = c;
    }
    if (least == last) break;
    fits[least] = false;
    needed -= widths[least] + kGap;
  }
  return fits;
}

std::string TextTable::to_text(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const std::string& head : heads_) widths.push_back(text_width(head));
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], text_width(row[c]));
  }
  const std::size_t last = heads_.size() - 1;
  const std::vector<bool> fits = columns_that_fit(widths, width);
  std::size_t before_name = 0;
  for (std::size_t c = 0; c < last; ++c) before_name += fits[c] ? widths[c] + kGap : 0;
  const std::size_t name_width =
      width == 0 ? 0 : std::max(width > before_name ? width - before_name : 0, kNarrowestName);

  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells, const std::string& name) {
    for (std::size_t c = 0; c < last; ++c) {
      if (!fits[c]) continue;
      out.append(widths[c] - text_width(cells[c]), ' ').append(cells[c]).append(kGap, ' ');
    }
    out.append(name).push_back('\n');
  };
  if (wraps_last_ && name_width != 0) {
    add_line(heads_, shorten(heads_[last], name_width));
    for (const auto& row : rows_) {
      std::string name;
      for (const std::string& line : lines_of(row[last], name_width)) {
        name += (name.empty() ? "" : "\n" + std::string(before_name, ' ')) + line;
      }
      add_line(row, name);
    }
    return out;
  }
  std::vector<std::string> names;
  names.reserve(rows_.size());
  for (const auto& row : rows_) names.push_back(row[last]);
  names = shorten_apart(names, name_width);
  add_line(heads_, shorten(heads_[last], name_width));
  for (std::size_t i = 0; i < rows_.size(); ++i) add_line(rows_[i], names[i]);
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
