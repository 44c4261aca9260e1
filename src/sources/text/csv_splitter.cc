#include "sources/text/csv_splitter.h"

#include <cstring>

namespace tactus {

void CsvSplitter::clear() {
  text_.clear();
  field_ends_.clear();
  fields_.clear();
  has_misplaced_quote_ = false;
}

bool CsvSplitter::start(std::string_view line) {
  clear();
  if (split_in_place(line)) return true;
  fields_.clear();
  const bool closed = split_quoted(line);
  point_at_text();
  return closed;
}

void CsvSplitter::start_unclosed(std::string_view line) {
  clear();
  do {
    if (!line.starts_with('"')) continue;
    const std::size_t before = text_.size();
    std::string_view rest = line.substr(1);
    if (take_quoted(rest)) {
      line = rest;
    } else {
      text_.resize(before);
    }
  } while (!take_plain(line));
  point_at_text();
}

bool CsvSplitter::go_on(std::string_view line_end, std::string_view line) {
  fields_.clear();
  text_.append(line_end);
  const bool quote = take_quoted(line);
  if (quote && !line.empty() && line.front() != separator_) has_misplaced_quote_ = true;
  const bool closed = quote && (take_plain(line) || split_quoted(line));
  if (closed) point_at_text();
  return closed;
}

/// Points at the fields inside the line. False at a field that must be assembled: its quotes hold a
/// quote, or text follows them.
bool CsvSplitter::split_in_place(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto find = [&](const char* from, char c) {
    return static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(end - from)));
  };
  for (;;) {
    const bool quoted = at != end && *at == '"';
    const char* const begin = quoted ? at + 1 : at;
    const char* stop = begin == end ? end : find(begin, quoted ? '"' : separator_);
    if (quoted && (stop == nullptr || stop == end)) return false;
    if (stop == nullptr) stop = end;
    fields_.emplace_back(begin, static_cast<std::size_t>(stop - begin));
    at = quoted ? stop + 1 : stop;
    if (at == end) return true;
    if (*at != separator_) return false;
    ++at;
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
