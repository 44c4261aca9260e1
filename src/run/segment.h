#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tactus {

/// Rows of a column that are written, checked and read together.
inline constexpr std::size_t kSegmentRows = 65536;

/// Packs up to kSegmentRows values: as offsets from the smallest value, or as differences from
/// row to row, whichever is smaller; cut into byte planes (all lowest bytes, then all second
/// bytes, ...), each compressed by itself. Regular columns take a few bytes, noise takes itself.
///
///   method u8 | planes u8 | base varint | first varint | planes: { compressed size varint, bytes }
std::string encode_segment(std::span<const std::int64_t> values);

/// The inverse; false if the bytes are no segment of `values.size()` rows.
bool decode_segment(std::string_view bytes, std::span<std::int64_t> values);

/// Plain bytes, compressed: for texts.
std::string compress_text(std::string_view text);
/// Nothing that claims more than `limit` bytes is unpacked.
Result<std::string> decompress_text(std::string_view bytes, std::size_t limit);

void append_varint(std::string& out, std::uint64_t value);
/// Takes a number off the front; false if there is none.
bool take_varint(std::string_view& bytes, std::uint64_t& value);

}  // namespace tactus
