#include "run/tact/tact_format.h"

#include <algorithm>

#include "base/arithmetic.h"
#include "run/tact/segment.h"

namespace tactus::tact {
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

void append_ids(std::string& out, const std::vector<std::uint32_t>& ids) {
  append_varint(out, ids.size());
  std::uint32_t last = 0;
  for (const std::uint32_t id : ids) {
    append_varint(out, id - last);
    last = id;
  }
}

bool take_ids(std::string_view& bytes, std::vector<std::uint32_t>& ids) {
  std::uint64_t count = 0;
  if (!take_varint(bytes, count) || count > bytes.size()) return false;
  ids.reserve(count);
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t step = 0;
    if (!take_varint(bytes, step) || step > UINT32_MAX - last) return false;
    last += step;
    ids.push_back(static_cast<std::uint32_t>(last));
  }
  return true;
}

enum SummaryFlag : std::uint8_t { kHasText = 1, kHasTimelessRows = 2, kHasTime = 4 };

}  // namespace

void ChunkSummary::add_time(std::int64_t from_ns, std::int64_t to_ns) {
  if (!time) {
    time = {from_ns, to_ns};
  } else {
    time = {std::min(time->first, from_ns), std::max(time->second, to_ns)};
  }
}

void ChunkSummary::append_to(std::string& out) const {
  out.push_back(static_cast<char>((has_text ? kHasText : 0) |
                                  (has_timeless_rows ? kHasTimelessRows : 0) |
                                  (time ? kHasTime : 0)));
  if (time) {
    append_varint(out, static_cast<std::uint64_t>(time->first));
    append_varint(out, static_cast<std::uint64_t>(wrapping_subtract(time->second, time->first)));
  }
  append_varint(out, first_slice);
  append_varint(out, slices);
  append_ids(out, categories);
  append_ids(out, names);
}

bool ChunkSummary::take(std::string_view& bytes, ChunkSummary& summary) {
  if (bytes.empty()) return false;
  const auto flags = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  summary.has_text = (flags & kHasText) != 0;
  summary.has_timeless_rows = (flags & kHasTimelessRows) != 0;
  if ((flags & kHasTime) != 0) {
    std::uint64_t from = 0;
    std::uint64_t length = 0;
    if (!take_varint(bytes, from) || !take_varint(bytes, length)) return false;
    const auto from_ns = static_cast<std::int64_t>(from);
    summary.time = {from_ns, wrapping_add(from_ns, static_cast<std::int64_t>(length))};
  }
  return take_varint(bytes, summary.first_slice) && take_varint(bytes, summary.slices) &&
         take_ids(bytes, summary.categories) && take_ids(bytes, summary.names);
}

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
  append_varint(out, 0);
  if (summary) {
    summary->append_to(out);
    append_varint(out, synced_bytes);
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
  // Version 1 lists the rows of each table again; they follow from the segments.
  if (!take_varint(bytes, count) || count > bytes.size()) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    ColumnKey key;
    std::uint64_t rows = 0;
    if (!take_key(bytes, key) || !take_varint(bytes, rows)) return false;
  }
  if (bytes.empty()) return true;  // version 1
  directory.summary.emplace();
  return ChunkSummary::take(bytes, *directory.summary) &&
         take_varint(bytes, directory.synced_bytes) && bytes.empty();
}

std::string index_to_bytes(const std::vector<IndexEntry>& index) {
  std::string out;
  append_varint(out, index.size());
  std::uint64_t last = 0;
  for (const IndexEntry& entry : index) {
    append_varint(out, entry.offset - last);
    entry.summary.append_to(out);
    last = entry.offset;
  }
  return out;
}

bool index_from_bytes(std::string_view bytes, std::vector<IndexEntry>& index) {
  std::uint64_t count = 0;
  if (!take_varint(bytes, count) || count > bytes.size()) return false;
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t step = 0;
    IndexEntry entry;
    if (!take_varint(bytes, step) || !ChunkSummary::take(bytes, entry.summary)) return false;
    offset += step;
    entry.offset = offset;
    index.push_back(std::move(entry));
  }
  return bytes.empty();
}

}  // namespace tactus::tact
