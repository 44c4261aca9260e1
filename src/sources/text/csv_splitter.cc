#include "sources/text/csv_splitter.h"

namespace tactus {

bool CsvSplitter::start(std::string_view line) {
  text_.clear();
  field_ends_.clear();
  fields_.clear();
  if (line.find('"') == std::string_view::npos) {
    split_plain(line);
    return true;
  }
  const bool closed = split_quoted(line);
  point_at_text();
  return closed;
}

bool CsvSplitter::go_on(std::string_view line_end, std::string_view line) {
  fields_.clear();
  text_.append(line_end);
  const bool closed = take_quoted(line) && (take_plain(line) || split_quoted(line));
  if (closed) point_at_text();
  return closed;
}

void CsvSplitter::split_plain(std::string_view line) {
  for (;;) {
    const std::size_t length = line.find(separator_);
    fields_.push_back(line.substr(0, length));
    if (length == std::string_view::npos) return;
    line.remove_prefix(length + 1);
  }
}

/// The rest of a line from the start of a field on. False if it ends inside quotes.
bool CsvSplitter::split_quoted(std::string_view rest) {
  for (;;) {
    if (rest.starts_with('"')) {
      rest.remove_prefix(1);
      if (!take_quoted(rest)) return false;
    }
    if (take_plain(rest)) return true;
  }
}

/// Takes what is inside quotes, the closing one included. False if there is none.
bool CsvSplitter::take_quoted(std::string_view& rest) {
  for (;;) {
    const std::size_t quote = rest.find('"');
    text_.append(rest.substr(0, quote));
    if (quote == std::string_view::npos) return false;
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) return true;
    text_.push_back('"');
    rest.remove_prefix(1);
  }
}

/// Takes text up to the separator, which ends the field. True if the row ends there too.
bool CsvSplitter::take_plain(std::string_view& rest) {
  const std::size_t length = rest.find(separator_);
  text_.append(rest.substr(0, length));
  field_ends_.push_back(text_.size());
  if (length == std::string_view::npos) return true;
  rest.remove_prefix(length + 1);
  return false;
}

void CsvSplitter::point_at_text() {
  const std::string_view text = text_;
  std::size_t begin = 0;
  for (const std::size_t end : field_ends_) {
    fields_.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  if (begin < text.size()) fields_.push_back(text.substr(begin));  // open, so far
}

}  // namespace tactus
