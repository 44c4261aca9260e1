#include "run/tact/segment.h"
#include "run/tact/tact_file.h"

namespace tactus {

bool is_tact(std::string_view head) {
  return head.starts_with(tact::kMagic);
}

namespace tact {
namespace {

void append_key(std::string& out, const ColumnKey& key) {
  out.push_back(static_cast<char>(key.table));
  append_varint(out, key.part);
  append_varint(out, key.column);
}

bool take_key(std::string_view& bytes, ColumnKey& key) {
  std::uint64_t part = 0;
  std::uint64_t column = 0;
  if (bytes.empty()) return false;
  key.table = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  if (!take_varint(bytes, part) || !take_varint(bytes, column)) return false;
  key.part = static_cast<std::uint32_t>(part);
  key.column = static_cast<std::uint32_t>(column);
  return part <= UINT32_MAX && column <= UINT32_MAX;
}

}  // namespace

std::string Directory::to_bytes() const {
  std::string out;
  append_varint(out, segments.size());
  for (const Segment& segment : segments) {
    append_key(out, segment.key);
    append_varint(out, segment.first_row);
    append_varint(out, segment.rows);
    append_varint(out, segment.bytes);
    for (int shift = 0; shift < 32; shift += 8) {
      out.push_back(static_cast<char>(segment.hash >> shift));
    }
  }
  append_varint(out, rows.size());
  for (const auto& [key, count] : rows) {
    append_key(out, key);
    append_varint(out, count);
  }
  return out;
}

bool Directory::from_bytes(std::string_view bytes, Directory& directory) {
  std::uint64_t count = 0;
  if (!take_varint(bytes, count) || count > bytes.size()) return false;
  directory.segments.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    Segment segment;
    if (!take_key(bytes, segment.key) || !take_varint(bytes, segment.first_row) ||
        !take_varint(bytes, segment.rows) || !take_varint(bytes, segment.bytes) ||
        bytes.size() < 4) {
      return false;
    }
    for (int shift = 0; shift < 32; shift += 8) {
      segment.hash |= std::uint32_t{static_cast<unsigned char>(bytes.front())} << shift;
      bytes.remove_prefix(1);
    }
    directory.segments.push_back(segment);
  }
  if (!take_varint(bytes, count) || count > bytes.size()) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    ColumnKey key;
    std::uint64_t rows = 0;
    if (!take_key(bytes, key) || !take_varint(bytes, rows)) return false;
    directory.rows.emplace_back(key, rows);
  }
  return bytes.empty();
}

}  // namespace tact
}  // namespace tactus
