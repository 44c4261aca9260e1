#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tactus::perfetto {

/// A field of a message in the wire format of protocol buffers.
struct Field {
  std::uint32_t number = 0;
  bool is_bytes = false;    ///< text, bytes, a message, or packed numbers
  std::uint64_t value = 0;  ///< of a number
  std::string_view bytes;

  std::int64_t as_signed() const { return static_cast<std::int64_t>(value); }
  double as_double() const { return std::bit_cast<double>(value); }
};

/// Reads a varint and moves the text behind it; false if it does not end within the text, or is
/// longer than 64 bits.
inline bool read_varint(std::string_view& text, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < text.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      text.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

/// The fields of a message, one after the other.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  /// False at the end, and where the message is damaged.
  bool next(Field& field) {
    if (rest_.empty()) return false;
    std::uint64_t tag = 0;
    if (!read_varint(rest_, tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX / 8) return fail();
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.is_bytes = (tag & 7) == 2;
    switch (tag & 7) {
      case 0: return read_varint(rest_, field.value) || fail();
      case 1: return read_fixed(field, 8);
      case 2: {
        std::uint64_t size = 0;
        if (!read_varint(rest_, size) || size > rest_.size()) return fail();
        field.bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
      }
      case 5: return read_fixed(field, 4);
      default: return fail();  // groups are older than Perfetto
    }
  }
  bool is_damaged() const { return damaged_; }

 private:
  bool fail() {
    damaged_ = true;
    rest_ = {};
    return false;
  }
  bool read_fixed(Field& field, std::size_t size) {
    if (rest_.size() < size) return fail();
    field.value = 0;
    std::memcpy(&field.value, rest_.data(), size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  bool damaged_ = false;
};

/// Calls f(number) for a repeated number: one value, or several of them packed.
template <class F>
void for_each_number(const Field& field, bool is_fixed64, F&& f) {
  if (!field.is_bytes) {
    f(field.value);
    return;
  }
  std::string_view packed = field.bytes;
  std::uint64_t value = 0;
  while (is_fixed64 && packed.size() >= sizeof value) {
    std::memcpy(&value, packed.data(), sizeof value);
    packed.remove_prefix(sizeof value);
    f(value);
  }
  while (!is_fixed64 && read_varint(packed, value)) f(value);
}

}  // namespace tactus::perfetto
