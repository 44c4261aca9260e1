#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/lazy_column.h"

namespace tactus::tact {

/// The form of a `.tact` file; docs/tact-format.md describes it completely.
///
///   header:  "TACT" version u32 | 8 bytes of zeros
///   chunk:   "TCHK" flags u32 | directory bytes u64 | payload bytes u64 |
///            hash of the directory u64 | directory | payload
///   trailer: offset of the last chunk u64 | "TACTEND\n"; at the end of the last chunk's payload
///
/// A chunk is a commit. A file may end after any chunk; the last chunk of a finished file carries
/// kFinished and an index of all chunks.
inline constexpr std::string_view kMagic = "TACT";
inline constexpr std::string_view kChunkMagic = "TCHK";
inline constexpr std::string_view kTrailerMagic = "TACTEND\n";
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kChunkHeaderBytes = 32;
inline constexpr std::size_t kTrailerBytes = 16;
inline constexpr std::uint32_t kFinished = 1;

/// The table number of texts that are not columns.
inline constexpr std::uint8_t kTextTable = 0;
enum TextColumn : std::uint8_t {
  kFacts = 0,    ///< JSON: what is new; in version 1, all of it, and the last one counts
  kStrings = 1,  ///< new strings: count, lengths, texts
  kIndex = 2,    ///< the chunks of a finished file
};

/// A piece of a column (or a text) in a chunk's payload.
struct Segment {
  ColumnKey key;
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint32_t hash = 0;    ///< of the bytes
  std::uint64_t offset = 0;  ///< in the file; not stored, because it follows from the others
};

/// What occurs in a chunk, so that a reader can leave it out.
struct ChunkSummary {
  bool has_text = false;
  bool has_timeless_rows = false;  ///< stacks, patterns: always read
  /// From the first start to the last end of its events, in the time of their sources.
  std::optional<std::pair<std::int64_t, std::int64_t>> time;
  std::uint64_t first_slice = 0;
  std::uint64_t slices = 0;
  std::vector<std::uint32_t> categories;  ///< of its slices, ascending
  std::vector<std::uint32_t> names;       ///< of its slices, ascending

  void add_time(std::int64_t from_ns, std::int64_t to_ns);
  void append_to(std::string& out) const;
  static bool take(std::string_view& bytes, ChunkSummary& summary);
};

/// What a chunk holds.
struct Directory {
  std::vector<Segment> segments;
  std::optional<ChunkSummary> summary;  ///< absent in version 1
  std::uint64_t synced_bytes = 0;       ///< of the file, known to be on disk before this chunk

  std::string to_bytes() const;
  static bool from_bytes(std::string_view bytes, Directory& directory);
};

/// One chunk in the index of a finished file.
struct IndexEntry {
  std::uint64_t offset = 0;
  ChunkSummary summary;  ///< without categories and names
};
std::string index_to_bytes(const std::vector<IndexEntry>& index);
bool index_from_bytes(std::string_view bytes, std::vector<IndexEntry>& index);

}  // namespace tactus::tact
