#include "page/column_set.h"

#include <bit>

namespace tactus::page {

ColumnSet::ColumnSet() {
  bytes_.resize(8);
  put_u32(0, 0x31434154);
}

void ColumnSet::put_u32(std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes_[at + i] = static_cast<char>(value >> (8 * i));
}

void ColumnSet::begin(std::string_view name, Type type) {
  type_ = type;
  count_ = 0;
  last_ = 0;
  ++columns_;
  const std::size_t at = bytes_.size();
  bytes_.resize(at + 4);
  put_u32(at, static_cast<std::uint32_t>(name.size()));
  bytes_.append(name);
  bytes_.push_back(static_cast<char>(type));
  bytes_.append(3, '\0');
  head_ = bytes_.size();
  bytes_.append(8, '\0');
}

void ColumnSet::add_double(double value) {
  ++count_;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < 8; ++i) bytes_.push_back(static_cast<char>(bits >> (8 * i)));
}

void ColumnSet::end() {
  std::uint64_t all = 0;
  for (const std::uint64_t value : planes_) all |= value;
  for (std::size_t shift = 0; all != 0 && shift < 64; shift += 8, all >>= 8) {
    for (const std::uint64_t value : planes_) bytes_.push_back(static_cast<char>(value >> shift));
  }
  planes_.clear();
  put_u32(head_, count_);
  put_u32(head_ + 4, static_cast<std::uint32_t>(bytes_.size() - head_ - 8));
  bytes_.append((4 - bytes_.size() % 4) % 4, '\0');
}

std::string ColumnSet::take() && {
  put_u32(4, columns_);
  return std::move(bytes_);
}

}  // namespace tactus::page
