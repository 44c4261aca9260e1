#include "run/column.h"

namespace tactus {
namespace {

constexpr std::size_t kFirstTail = 16;  // rows; many argument columns stay short

template <class Unsigned>
std::unique_ptr<std::uint8_t[]> pack_as(std::span<const std::int64_t> values, std::int64_t base) {
  auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(values.size() * sizeof(Unsigned));
  auto* out = reinterpret_cast<Unsigned*>(bytes.get());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = static_cast<Unsigned>(wrapping_subtract(values[i], base));
  }
  return bytes;
}

template <class Unsigned>
void unpack_as(const std::uint8_t* bytes, std::size_t first, std::int64_t base,
               std::span<std::int64_t> into) {
  const auto* in = reinterpret_cast<const Unsigned*>(bytes) + first;
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = wrapping_add(base, static_cast<std::int64_t>(in[i]));
  }
}

}  // namespace

Column::Block Column::pack(std::span<const std::int64_t> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const auto range = static_cast<std::uint64_t>(wrapping_subtract(*high, *low));
  Block block{.base = *low, .offsets = nullptr, .width = 0};
  if (range == 0) return block;
  if (range <= UINT8_MAX) {
    block.width = 1;
    block.offsets = pack_as<std::uint8_t>(values, block.base);
  } else if (range <= UINT16_MAX) {
    block.width = 2;
    block.offsets = pack_as<std::uint16_t>(values, block.base);
  } else if (range <= UINT32_MAX) {
    block.width = 4;
    block.offsets = pack_as<std::uint32_t>(values, block.base);
  } else {
    block.width = 8;
    block.offsets = pack_as<std::uint64_t>(values, block.base);
  }
  return block;
}

void Column::Block::read(std::size_t first, std::span<std::int64_t> into) const {
  switch (width) {
    case 0: std::fill(into.begin(), into.end(), base); return;
    case 1: unpack_as<std::uint8_t>(offsets.get(), first, base, into); return;
    case 2: unpack_as<std::uint16_t>(offsets.get(), first, base, into); return;
    case 4: unpack_as<std::uint32_t>(offsets.get(), first, base, into); return;
    default: unpack_as<std::uint64_t>(offsets.get(), first, base, into); return;
  }
}

Column::Limits Column::limits_at(std::size_t row) const {
  const std::size_t block = row / kBlockRows;
  if (block >= blocks_.size()) return {};
  const std::int64_t base = blocks_[block].base;
  if (blocks_[block].width == 8) return {};
  const std::int64_t range = (std::int64_t{1} << (8 * blocks_[block].width)) - 1;
  if (base > INT64_MAX - range) return {};
  return {.low = base, .high = base + range};
}

void Column::make_room() {
  const std::size_t reopened = packed_rows_ % kBlockRows;
  if (tail_size_ == kBlockRows) {
    blocks_.push_back(pack({tail_.get(), kBlockRows}));
    packed_rows_ += kBlockRows;
    tail_size_ = 0;
    return;
  }
  const std::size_t rows = reopened + tail_size_;
  const std::size_t capacity = std::min(std::max(rows * 2, kFirstTail), kBlockRows);
  auto larger = std::make_unique_for_overwrite<std::int64_t[]>(capacity);
  if (reopened != 0) {
    blocks_.back().read(0, {larger.get(), reopened});
    blocks_.pop_back();
    packed_rows_ -= reopened;
  } else {
    std::copy_n(tail_.get(), tail_size_, larger.get());
  }
  tail_ = std::move(larger);
  tail_size_ = static_cast<std::uint32_t>(rows);
  tail_capacity_ = static_cast<std::uint32_t>(capacity);
}

void Column::append(std::span<const std::int64_t> values) {
  while (!values.empty()) {
    if (tail_size_ == 0 && packed_rows_ % kBlockRows == 0 && values.size() >= kBlockRows) {
      blocks_.push_back(pack(values.first(kBlockRows)));
      packed_rows_ += kBlockRows;
      values = values.subspan(kBlockRows);
      continue;
    }
    if (tail_size_ == tail_capacity_) make_room();
    const std::size_t count = std::min<std::size_t>(values.size(), tail_capacity_ - tail_size_);
    std::copy_n(values.data(), count, tail_.get() + tail_size_);
    tail_size_ += static_cast<std::uint32_t>(count);
    values = values.subspan(count);
  }
}

void Column::append_packed(std::int64_t base, std::uint8_t width, std::size_t rows,
                           std::unique_ptr<std::uint8_t[]> offsets) {
  CHECK(tail_size_ == 0 && packed_rows_ % kBlockRows == 0 && rows <= kBlockRows);
  blocks_.push_back({.base = base, .offsets = std::move(offsets), .width = width});
  packed_rows_ += rows;
}

void Column::append(Column&& other) {
  if (tail_size_ == 0 && packed_rows_ % kBlockRows == 0 && other.tail_size_ == 0) {
    for (Block& block : other.blocks_) blocks_.push_back(std::move(block));
    packed_rows_ += other.packed_rows_;
  } else {
    std::vector<std::int64_t> values(other.size());
    other.read(0, values);
    append(values);
  }
  other = Column();
}

void Column::read(std::size_t first, std::span<std::int64_t> into) const {
  while (!into.empty()) {
    const std::size_t block = first / kBlockRows;
    const std::size_t offset = first % kBlockRows;
    const std::size_t count = std::min(into.size(), kBlockRows - offset);
    if (block < blocks_.size()) {
      blocks_[block].read(offset, into.first(count));
    } else {
      std::copy_n(tail_.get() + offset, count, into.data());
    }
    into = into.subspan(count);
    first += count;
  }
}

void Column::add(std::int64_t delta, std::size_t first) {
  for (std::size_t block = first / kBlockRows; block < blocks_.size(); ++block) {
    const std::size_t begin = block * kBlockRows;
    if (begin >= first) {
      blocks_[block].base = wrapping_add(blocks_[block].base, delta);
      continue;
    }
    std::array<std::int64_t, kBlockRows> room;
    const std::span<std::int64_t> values(room.data(), std::min(kBlockRows, packed_rows_ - begin));
    blocks_[block].read(0, values);
    for (std::size_t i = first - begin; i < values.size(); ++i)
      values[i] = wrapping_add(values[i], delta);
    blocks_[block] = pack(values);
  }
  for (std::size_t i = first > packed_rows_ ? first - packed_rows_ : 0; i < tail_size_; ++i) {
    tail_[i] = wrapping_add(tail_[i], delta);
  }
}

void Column::shrink() {
  if (tail_size_ != 0) {
    blocks_.push_back(pack({tail_.get(), tail_size_}));
    packed_rows_ += tail_size_;
  }
  blocks_.shrink_to_fit();
  tail_.reset();
  tail_size_ = 0;
  tail_capacity_ = 0;
}

std::size_t Column::memory_bytes() const {
  std::size_t bytes = blocks_.capacity() * sizeof(Block) + tail_capacity_ * sizeof(std::int64_t);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    bytes += std::min(kBlockRows, packed_rows_ - block * kBlockRows) * blocks_[block].width;
  }
  return bytes;
}

}  // namespace tactus
