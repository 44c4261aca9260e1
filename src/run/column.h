#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/arithmetic.h"
#include "base/check.h"

namespace tactus {

/// An append-only column of 64-bit integers. Full blocks of kBlockRows rows are stored as offsets
/// from their smallest value, in 0, 1, 2, 4 or 8 bytes per row, the fewest that fit: a column of
/// zeros costs nothing, and time stamps of one block cost four bytes.
class Column {
 public:
  static constexpr std::size_t kBlockRows = 2048;

  std::size_t size() const { return packed_rows_ + tail_size_; }
  bool empty() const { return size() == 0; }

  void append(std::int64_t value) {
    if (tail_size_ == tail_capacity_) make_room();
    tail_[tail_size_++] = value;
  }
  void append(std::span<const std::int64_t> values);

  /// Appends up to kBlockRows rows that are packed already: offsets from `base` of `width` bytes
  /// (0, 1, 2, 4 or 8) each. Only the last such block may be short.
  void append_packed(std::int64_t base, std::uint8_t width, std::size_t rows,
                     std::unique_ptr<std::uint8_t[]> offsets);

  /// Appends all rows of another column, without unpacking blocks that are aligned.
  void append(Column&& other);

  /// The row appended last (full blocks are packed only when the next row comes).
  std::int64_t& last() {
    CHECK(tail_size_ != 0);
    return tail_[tail_size_ - 1];
  }

  std::int64_t operator[](std::size_t row) const {
    const std::size_t block = row / kBlockRows;
    if (block < blocks_.size()) return blocks_[block].get(row % kBlockRows);
    return tail_[row - packed_rows_];
  }

  /// Copies rows [first, first + into.size()) out.
  void read(std::size_t first, std::span<std::int64_t> into) const;

  /// Calls f(first_row, span of values) for consecutive pieces of [first, last).
  template <class F>
  void for_each_piece(std::size_t first, std::size_t last, F&& f) const {
    std::array<std::int64_t, kBlockRows> values;
    while (first < last) {
      const std::size_t next = std::min(last, (first / kBlockRows + 1) * kBlockRows);
      const std::span<std::int64_t> piece(values.data(), next - first);
      read(first, piece);
      f(first, std::span<const std::int64_t>(piece));
      first = next;
    }
  }

  /// Two numbers that the values of a block lie between, both included. The low one occurs; the
  /// high one may be larger than any value.
  struct Limits {
    std::int64_t low = INT64_MIN;
    std::int64_t high = INT64_MAX;
  };
  /// The limits of the block that holds a row. They cost nothing: packing needed them.
  Limits limits_at(std::size_t row) const;

  /// Adds `delta` to the rows from `first` to the end.
  void add(std::int64_t delta, std::size_t first = 0);

  /// Packs the rows of the last, unfinished block too. Appending stays possible.
  void shrink();

  std::size_t memory_bytes() const;

 private:
  struct Block {
    std::int64_t base = 0;
    std::unique_ptr<std::uint8_t[]> offsets;
    std::uint8_t width = 0;  ///< bytes per row

    std::int64_t get(std::size_t row) const {
      const std::uint8_t* at = offsets.get() + row * width;
      switch (width) {
        case 0: return base;
        case 1: return wrapping_add(base, *at);
        case 2: return wrapping_add(base, load<std::uint16_t>(at));
        case 4: return wrapping_add(base, load<std::uint32_t>(at));
        default: return wrapping_add(base, load<std::int64_t>(at));
      }
    }
    void read(std::size_t first, std::span<std::int64_t> into) const;
  };

  template <class T>
  static T load(const std::uint8_t* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  static Block pack(std::span<const std::int64_t> values);
  void make_room();

  std::vector<Block> blocks_;    ///< the last one is short after shrink(), then the tail is empty
  std::size_t packed_rows_ = 0;  ///< rows in blocks_
  std::unique_ptr<std::int64_t[]> tail_;
  std::uint32_t tail_size_ = 0;
  std::uint32_t tail_capacity_ = 0;
};

}  // namespace tactus
