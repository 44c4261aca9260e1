#include "sources/kineto/json_scan.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/json.h"
#include "base/utf8.h"
#include "run/args/value.h"
#include "run/builder.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tactus::kineto {
namespace {

#ifdef __SSE2__
constexpr std::size_t kStep = 16;

/// One bit for each of the next 16 bytes that equals one of the given characters.
template <class... Chars>
unsigned match(const char* p, Chars... wanted) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  __m128i hits = _mm_setzero_si128();
  ((hits = _mm_or_si128(hits, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted)))), ...);
  return static_cast<unsigned>(_mm_movemask_epi8(hits));
}
#else
constexpr std::size_t kStep = 16;

template <class... Chars>
unsigned match(const char* p, Chars... wanted) {
  unsigned mask = 0;
  for (unsigned i = 0; i < kStep; ++i)
    mask |= static_cast<unsigned>(((p[i] == wanted) || ...)) << i;
  return mask;
}
#endif

/// The digits at the front of eight characters, all at once.
struct EightDigits {
  unsigned count = 0;
  std::uint64_t value = 0;
};

EightDigits read_eight(const char* p) {
  std::uint64_t text = 0;
  std::memcpy(&text, p, 8);
  // The high bit of the first byte that is not a digit; bits behind it may be wrong.
  const std::uint64_t others =
      ((text + 0x4646464646464646ULL) | (text - 0x3030303030303030ULL)) & 0x8080808080808080ULL;
  const unsigned count = others == 0 ? 8 : static_cast<unsigned>(std::countr_zero(others)) / 8;
  if (count == 0) return {};
  // Zeros in front, then pairs of digits, then fours, then all eight.
  text <<= 64 - 8 * count;
  text = (text & 0x0F0F0F0F0F0F0F0FULL) * 2561 >> 8;
  text = (text & 0x00FF00FF00FF00FFULL) * 6553601 >> 16;
  text = (text & 0x0000FFFF0000FFFFULL) * 42949672960001ULL >> 32;
  return {count, text};
}

/// Digits as a number; at most 18 of them, so that nothing overflows.
const char* read_digits(const char* p, std::uint64_t& value) {
  static constexpr std::uint64_t kPowers[] = {1,      10,      100,      1000,     10000,
                                              100000, 1000000, 10000000, 100000000};
  const EightDigits first = read_eight(p);
  value = first.value;
  if (first.count < 8) return first.count == 0 ? nullptr : p + first.count;
  const EightDigits second = read_eight(p + 8);
  value = value * kPowers[second.count] + second.value;
  if (second.count < 8) return p + 8 + second.count;
  const EightDigits third = read_eight(p + 16);
  value = value * kPowers[third.count] + third.value;
  return third.count > 2 ? nullptr : p + 16 + third.count;
}

bool has_leading_zero(const char* p) {
  return *p == '0' && is_digit(p[1]);
}

}  // namespace

const char* skip_long_space(const char* p) {
  constexpr unsigned kAll = (1U << kStep) - 1;
  for (;; p += kStep) {
    const unsigned others = match(p, ' ', '\n', '\r', '\t') ^ kAll;
    if (others != 0) return p + std::countr_zero(others);
  }
}

const char* find_string_end(const char* p, const char* end) {
  while (p < end) {
    const unsigned hits = match(p, '"', '\\');
    if (hits == 0) {
      p += kStep;
      continue;
    }
    p += std::countr_zero(hits);
    if (p >= end) return nullptr;
    if (*p == '"') return p;
    p += 2;  // a backslash and what it escapes
  }
  return nullptr;
}

const char* skip_value(const char* p, const char* end) {
  if (p >= end) return nullptr;
  if (*p == '"') {
    p = find_string_end(p + 1, end);
    return p == nullptr ? nullptr : p + 1;
  }
  if (*p != '[' && *p != '{') {
    while (p < end && !is_space(*p) && *p != ',' && *p != ']' && *p != '}') ++p;
    return p < end ? p : nullptr;
  }
  std::size_t depth = 0;
  while (p < end) {
    unsigned hits = match(p, '"', '[', ']', '{', '}');
    const char* block = p;
    p += kStep;
    while (hits != 0) {
      const char* at = block + std::countr_zero(hits);
      hits &= hits - 1;
      if (at >= end) return nullptr;
      if (*at == '[' || *at == '{') {
        ++depth;
      } else if (*at != '"') {
        if (--depth == 0) return at + 1;
      } else {
        at = find_string_end(at + 1, end);
        if (at == nullptr) return nullptr;
        p = at + 1;
        break;
      }
    }
  }
  return nullptr;
}

const char* read_int(const char* p, std::int64_t& value) {
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  if (has_leading_zero(p)) return nullptr;
  std::uint64_t number = 0;
  p = read_digits(p, number);
  if (p == nullptr || (negative && number == 0)) return nullptr;
  value = negative ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
  return p;
}

const char* read_decimal(const char* p, std::int64_t& value) {
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  if (has_leading_zero(p)) return nullptr;
  std::uint64_t whole = 0;
  p = read_digits(p, whole);
  if (p == nullptr || *p != '.') return nullptr;
  auto mantissa = static_cast<std::int64_t>(whole);
  const char* fraction = ++p;
  while (is_digit(*p)) {
    if (mantissa > (Decimal::kLargestMantissa - 9) / 10) return nullptr;
    mantissa = mantissa * 10 + (*p++ - '0');
  }
  const auto scale = p - fraction;
  if (scale == 0 || scale > Decimal::kLargestScale || mantissa > Decimal::kLargestMantissa) {
    return nullptr;
  }
  if (negative && mantissa == 0) return nullptr;
  value = Decimal::pack(negative ? -mantissa : mantissa, static_cast<int>(scale));
  return p;
}

const char* read_time(const char* p, std::int64_t& time_ns) {
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  std::uint64_t whole = 0;
  p = read_digits(p, whole);
  if (p == nullptr || whole >= static_cast<std::uint64_t>(kLatestTime / 1000)) return nullptr;
  std::uint64_t ns = whole * 1000;
  if (*p == '.') {
    const EightDigits fraction = read_eight(++p);
    if (fraction.count == 3) {
      ns += fraction.value;
      p += 3;
    } else {
      const char* first = p;
      std::uint64_t place = 100;
      for (; is_digit(*p); ++p) {
        const auto digit = static_cast<std::uint64_t>(*p - '0');
        ns += digit * place;
        if (p - first == 3 && digit >= 5) ++ns;  // round at the fourth decimal
        place /= 10;
      }
      if (p == first) return nullptr;
    }
  }
  time_ns = negative ? -static_cast<std::int64_t>(ns) : static_cast<std::int64_t>(ns);
  return p;
}

std::optional<std::int64_t> time_from_text(std::string_view number) {
  double us = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), us);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  const double ns = us * 1000;
  if (!(std::abs(ns) < static_cast<double>(kLatestTime))) return std::nullopt;
  return std::llround(ns);
}

namespace {

/// The four hex digits at the front, or nothing.
std::optional<unsigned> hex4(std::string_view text) {
  unsigned code = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, code, 16);
  if (error != std::errc() || end != text.data() + 4) return std::nullopt;
  return code;
}

/// What `\uXXXX` at the front stands for (a pair of surrogates is one character); the number of
/// characters it takes.
std::pair<unsigned, std::size_t> unicode_escape(std::string_view text) {
  const std::optional<unsigned> code = hex4(text.substr(2));
  if (!code) return {kReplacementCharacter, 2};
  if (*code < 0xD800 || *code > 0xDFFF) return {*code, 6};
  if (*code < 0xDC00 && text.substr(6, 2) == "\\u") {
    const std::optional<unsigned> low = hex4(text.substr(8));
    if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
      return {0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00), 12};
    }
  }
  return {kReplacementCharacter, 6};
}

}  // namespace

std::string unescape(std::string_view raw, bool& repaired) {
  if (raw.find('\\') == std::string_view::npos) return to_valid_utf8(raw, repaired);
  std::string out;
  out.reserve(raw.size());
  std::size_t at = 0;
  while (at < raw.size()) {
    const std::size_t escape = std::min(raw.find('\\', at), raw.size());
    out.append(raw, at, escape - at);
    if (escape + 1 >= raw.size()) break;
    at = escape + 2;
    switch (const char escaped = raw[escape + 1]) {
      case 'n': out.push_back('\n'); break;
      case 't': out.push_back('\t'); break;
      case 'r': out.push_back('\r'); break;
      case 'b': out.push_back('\b'); break;
      case 'f': out.push_back('\f'); break;
      case 'u': {
        const auto [code, length] = unicode_escape(raw.substr(escape));
        append_utf8(out, code);
        repaired |= code == kReplacementCharacter;
        at = escape + length;
        break;
      }
      default: out.push_back(escaped);  // a quote or a slash; any other character means itself
    }
  }
  return to_valid_utf8(out, repaired);
}

std::optional<std::string> compact_json(std::string_view raw) {
  // Scalars keep their text (1.50 stays 1.50); only white space is removed.
  if (!Json::is_valid(raw)) return std::nullopt;
  std::string out;
  out.reserve(raw.size());
  bool in_string = false;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (in_string) {
      out.push_back(c);
      if (c == '\\') {
        out.push_back(raw[++i]);
      } else if (c == '"') {
        in_string = false;
      }
    } else if (!is_space(c)) {
      out.push_back(c);
      in_string = c == '"';
    }
  }
  return out;
}

}  // namespace tactus::kineto
