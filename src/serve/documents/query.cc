#include "serve/documents/query.h"

#include <charconv>

namespace tactus::serve {
namespace {

constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMostKeys = 32;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// "%2F" as "/", "+" as a space; nothing if a percent sign is not followed by two digits.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_name(std::string_view text) {
  for (const char c : text) {
    const bool known = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '/';
    if (!known) return false;
  }
  return !text.empty() && !text.starts_with('/');
}

}  // namespace

Result<DocumentName> read_document_name(std::string_view text) {
  if (text.size() > kLongestName) return usage_error("the name of the document is too long");
  DocumentName name;
  const std::size_t mark = text.find('?');
  std::string_view path = text.substr(0, mark);
  if (!is_name(path)) return usage_error("there is no such document");
  if (path.starts_with("run/")) {
    path.remove_prefix(4);
    const std::size_t slash = path.find('/');
    const std::optional<std::int64_t> run = whole_number(path.substr(0, slash));
    if (!run || *run < 0 || slash == std::string_view::npos) {
      return usage_error("there is no such document; a run's documents are run/NUMBER/NAME");
    }
    name.run = static_cast<std::size_t>(*run);
    path.remove_prefix(slash + 1);
  }
  name.part = path;
  if (mark == std::string_view::npos) return name;
  std::string_view rest = text.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::optional<std::string> key = decoded(pair.substr(0, equals));
    const std::optional<std::string> value =
        decoded(pair.substr(std::min(equals + 1, pair.size())));
    if (!key || !value) return usage_error("the query has a % without two hexadecimal digits");
    name.query[*key] = *value;
    if (name.query.size() > kMostKeys) return usage_error("the query has too many keys");
  }
  return name;
}

Result<std::optional<std::int64_t>> number_in(const Query& query, const std::string& key) {
  const auto at = query.find(key);
  if (at == query.end() || at->second.empty()) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> value = whole_number(at->second);
  if (!value) return usage_error(key + " is not a whole number");
  return value;
}

Result<page::TileRequest> read_tile(const Query& query, const TimeSpan& span) {
  page::TileRequest tile{.from_ns = span.begin_ns, .to_ns = span.end_ns};
  for (const auto& [key, into] : {std::pair("from", &tile.from_ns), std::pair("to", &tile.to_ns),
                                  std::pair("columns", &tile.columns)}) {
    const Result<std::optional<std::int64_t>> value = number_in(query, key);
    if (!value) return value.error();
    if (*value) *into = **value;
  }
  // Far apart enough for any recording, and their difference fits 64 bits.
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  if (tile.from_ns < -kFar || tile.to_ns > kFar || tile.to_ns < tile.from_ns) {
    return usage_error("from and to are not a stretch of time");
  }
  if (tile.columns < 1 || tile.columns > page::TileRequest::kMostColumns) {
    return usage_error("columns must be between 1 and " +
                       std::to_string(page::TileRequest::kMostColumns));
  }
  const auto tracks = query.find("tracks");
  if (tracks == query.end()) return tile;
  std::string_view rest = tracks->second;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::optional<std::int64_t> track = whole_number(rest.substr(0, end));
    if (!track || *track < 0 || *track > INT32_MAX ||
        tile.tracks.size() == page::TileRequest::kMostTracks) {
      return usage_error("tracks is not a list of numbers");
    }
    tile.tracks.push_back(static_cast<std::uint32_t>(*track));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return tile;
}

Result<SliceFilter> read_filter(const Query& query) {
  SliceFilter filter;
  for (const auto& [key, into] :
       {std::pair("from", &filter.from_ns), std::pair("to", &filter.to_ns),
        std::pair("device", &filter.device), std::pair("stream", &filter.stream),
        std::pair("rank", &filter.rank), std::pair("pid", &filter.pid)}) {
    const Result<std::optional<std::int64_t>> value = number_in(query, key);
    if (!value) return value.error();
    *into = *value;
  }
  return filter;
}

std::string canonical_name(const DocumentName& name) {
  std::string out = name.run ? "run/" + std::to_string(*name.run) + "/" : "";
  out += name.part;
  char mark = '?';
  for (const auto& [key, value] : name.query) {
    out += mark + key + "=" + value;
    mark = '&';
  }
  return out;
}

}  // namespace tactus::serve
