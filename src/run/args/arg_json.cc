#include "run/args/arg_json.h"

#include <charconv>
#include <cstring>

namespace tactus {
namespace {

void append_number(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// Whether JSON writes eight bytes as they are: none is below 0x20, a quote or a backslash.
bool are_plain(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x80 * kOnes;
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  // The high bit of a byte: it is below `limit`, if its own high bit is not set. A borrow may mark
  // bytes that are plain, never the other way round.
  const auto below = [](std::uint64_t of, std::uint64_t limit) {
    return (of - limit * kOnes) & ~of & kHigh;
  };
  return (below(word, 0x20) | below(word ^ ('"' * kOnes), 1) | below(word ^ ('\\' * kOnes), 1)) ==
         0;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  std::size_t plain = 0;  // start of text that needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (i + 8 < text.size() && are_plain(text.data() + i)) i += 8;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text.substr(plain, i - plain));
    plain = i + 1;
    switch (byte) {
      case '"': out.append("\\\""); break;
      case '\\': out.append("\\\\"); break;
      case '\n': out.append("\\n"); break;
      case '\t': out.append("\\t"); break;
      case '\r': out.append("\\r"); break;
      default:
        out.append("\\u00");
        out.push_back(kHex[byte >> 4]);
        out.push_back(kHex[byte & 15]);
    }
  }
  out.append(text.substr(plain));
  out.push_back('"');
}

void append_json_value(std::string& out, const StringPool& strings, Value value) {
  switch (value.type) {
    case ValueType::kInt:
    case ValueType::kStack: append_number(out, value.raw); break;
    case ValueType::kDecimal: {
      const std::string text = Decimal::to_text(value.raw, strings);
      out.append(text.empty() ? "null" : text);
      break;
    }
    case ValueType::kText:
      append_json_string(out, strings[StringId(static_cast<std::uint64_t>(value.raw))]);
      break;
    case ValueType::kJson: {
      const std::string_view text = strings[StringId(static_cast<std::uint64_t>(value.raw))];
      out.append(text.empty() ? "null" : text);
      break;
    }
    case ValueType::kBool: out.append(value.raw != 0 ? "true" : "false"); break;
    case ValueType::kNull: out.append("null"); break;
  }
}

}  // namespace tactus
