#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::page {

/// Columns of numbers as bytes, in the form that the page reads (little endian):
///
///   magic u32 "TAC1" | columns u32 | per column: name length u32, name, type u8, zeros u8[3],
///   count u32, bytes u32, data, zeros up to a multiple of 4
class ColumnSet {
 public:
  /// Planes: all lowest bytes, then all second ones, and so on; they pack better than varints.
  /// Zigzag: 0, -1, 1, -2 are 0, 1, 2, 3.
  enum class Type : std::uint8_t {
    kDouble,
    kVarint,
    kDelta,
    kByte,
    kPlanes,
    kDeltaPlanes,
    kZigzagPlanes
  };

  ColumnSet();

  /// Begins a column; the values that follow belong to it.
  void begin(std::string_view name, Type type);
  void add(std::int64_t value) {
    ++count_;
    auto number = static_cast<std::uint64_t>(value);
    if (type_ == Type::kDelta || type_ == Type::kDeltaPlanes) {
      number = zigzag(static_cast<std::int64_t>(number - std::exchange(last_, number)));
    } else if (type_ == Type::kZigzagPlanes) {
      number = zigzag(value);
    }
    if (type_ >= Type::kPlanes) {
      planes_.push_back(number);
    } else if (type_ == Type::kByte) {
      bytes_.push_back(static_cast<char>(number));
    } else {
      append_varint(number);
    }
  }
  void add_double(double value);
  void end();

  std::string take() &&;

 private:
  static std::uint64_t zigzag(std::int64_t value) {
    return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
  }
  void append_varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  void put_u32(std::size_t at, std::uint32_t value);

  std::string bytes_;
  Type type_ = Type::kByte;
  std::uint32_t columns_ = 0;
  std::uint32_t count_ = 0;
  std::size_t head_ = 0;  ///< where count and bytes of the open column go
  std::uint64_t last_ = 0;
  std::vector<std::uint64_t> planes_;  ///< values of a column of planes, until it ends
};

}  // namespace tactus::page
