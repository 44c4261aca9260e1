#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace tactus {

namespace {

/// Reports hold thousands of numbers, and this is several times as fast as a format string.
void append(double value, std::chars_format format, int precision, std::string& out) {
  char text[512];  // the largest double has 309 digits in front of the point
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, format, precision);
  CHECK(error == std::errc());
  out.append(text, end);
}

/// Letters to insert, delete or replace to get from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// "bf16" for "bfloat16": its letters in order, and the same first one.
bool is_short_for(std::string_view word, std::string_view typed) {
  constexpr std::size_t kFewest = 3;
  if (word.size() < kFewest || typed.empty() || word.front() != typed.front()) return false;
  std::size_t found = 0;
  for (const char c : typed) found += found < word.size() && word[found] == c ? 1 : 0;
  return found == word.size() && 2 * word.size() >= typed.size();
}

}  // namespace

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string count_of(std::int64_t count, std::string_view one, std::string_view many) {
  std::string text = format_count(count) + ' ';
  text += count == 1 ? one : many;
  return text;
}

void append_fixed(double value, int decimals, std::string& out) {
  append(value, std::chars_format::fixed, decimals, out);
}

void append_signed(double value, int decimals, std::string& out) {
  if (!std::signbit(value)) out.push_back('+');
  append_fixed(value, decimals, out);
}

void append_short(double value, std::string& out) {
  append(value, std::chars_format::general, 6, out);
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string csv_cell(std::string_view text) {
  // One fast search a character: find_first_of takes each character of the text by itself.
  const auto has = [&](char c) { return text.find(c) != std::string_view::npos; };
  if (!has(',') && !has('"') && !has('\n') && !has('\r')) return std::string(text);
  std::string out;
  out.reserve(text.size() + 2);
  out.push_back('"');
  for (std::size_t quote = text.find('"'); quote != std::string_view::npos;
       quote = text.find('"')) {
    out.append(text.substr(0, quote + 1)).push_back('"');
    text.remove_prefix(quote + 1);
  }
  out.append(text).push_back('"');
  return out;
}

std::string_view nearest(std::string_view typed, std::span<const std::string_view> words) {
  constexpr std::size_t kLongestWord = 64;  // beyond, it is not a typing error
  if (typed.empty() || typed.size() > kLongestWord) return {};
  std::string_view best;
  // A third of the letters: of "foo", one may be wrong, and "top" is another word.
  std::size_t best_distance = std::max<std::size_t>(2, (typed.size() + 4) / 3);
  for (const std::string_view word : words) {
    // A part of a name is a better hint than its number of missing letters says.
    const bool part = typed.size() >= 3 && word.find(typed) != std::string_view::npos;
    std::size_t distance = part ? 1 : edit_distance(typed, word);
    if (is_short_for(word, typed)) distance = std::min<std::size_t>(distance, 2);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tactus
