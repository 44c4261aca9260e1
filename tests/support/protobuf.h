#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus::testing {

/// A message in the wire format of protocol buffers, field by field.
class Protobuf {
 public:
  Protobuf& number(std::uint32_t field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
    return *this;
  }
  Protobuf& fixed64(std::uint32_t field, std::uint64_t value) {
    varint(field << 3 | 1);
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
    return *this;
  }
  Protobuf& real(std::uint32_t field, double value) {
    return fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  Protobuf& text(std::uint32_t field, std::string_view bytes) {
    varint(field << 3 | 2);
    varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Protobuf& message(std::uint32_t field, const Protobuf& inner) {
    return text(field, inner.bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace tactus::testing
