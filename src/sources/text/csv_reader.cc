#include "sources/text/csv_reader.h"

#include <algorithm>

#include "sources/text/number.h"

namespace tactus {

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

  closed_ = splitter_.start(lines_.line());
  while (!closed_) {
    const std::string_view line_end = lines_.ending();
    Result<bool> more = lines_.next();
    if (!more) return more;
    if (!*more) break;
    closed_ = splitter_.go_on(line_end, lines_.line());
    if (splitter_.held_bytes() > LineReader::kLongestLine) {
      return input_error(lines_.bytes().path() + ": the row in line " +
                         std::to_string(line_number_) + " is longer than " +
                         std::to_string(LineReader::kLongestLine >> 20) +
                         " MiB; is a closing quote missing?");
    }
  }
  return true;
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
