#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/column.h"
#include "run/run.h"

namespace tactus {

/// Rows of a column that are written, checked and read together.
inline constexpr std::size_t kSegmentRows = kGroupRows;

/// Packs up to kSegmentRows values: as offsets from the smallest, or as differences from row to
/// row, whichever takes fewer bits. The result is cut into byte planes (all lowest bytes, then all
/// second bytes, ...), each compressed separately. Regular columns take a few bytes; noise does not
/// get smaller.
///
///   method u8 | planes u8 | base varint | first varint | planes: { compressed size varint, bytes }
std::string encode_segment(std::span<const std::int64_t> values);

/// Buffers for unpacking, to be reused from call to call.
struct SegmentRoom {
  std::vector<char> planes;
  std::vector<std::int64_t> values;
};

/// The inverse: fills an empty column with `rows` rows; false if the bytes are not such a segment.
bool decode_segment(std::string_view bytes, std::size_t rows, Column& into, SegmentRoom& room);

/// Plain bytes, compressed: for texts.
std::string compress_text(std::string_view text);
/// Refuses data that claims more than `limit` bytes.
Result<std::string> decompress_text(std::string_view bytes, std::size_t limit);

void append_varint(std::string& out, std::uint64_t value);
/// Removes a number from the front; false if there is none.
bool take_varint(std::string_view& bytes, std::uint64_t& value);

}  // namespace tactus
