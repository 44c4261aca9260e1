#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "run/run.h"

namespace tactus {

/// The form of a `.tact` file; docs/tact-format.md describes it completely.
///
///   header:  "TACT" version u32 | 8 bytes of zeros
///   chunk:   "TCHK" flags u32 | directory bytes u64 | payload bytes u64 | hash of the directory
///   u64
///            directory | payload
///
/// A chunk is a commit: it says how many rows each table has after it. A file may end after any
/// chunk; the last chunk of a finished file carries kFinished.
namespace tact {

inline constexpr std::string_view kMagic = "TACT";
inline constexpr std::string_view kChunkMagic = "TCHK";
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kChunkHeaderBytes = 32;
inline constexpr std::uint32_t kFinished = 1;

/// The table number of texts that are not columns.
inline constexpr std::uint8_t kTextTable = 0;
enum TextColumn : std::uint8_t {
  kFacts = 0,    ///< JSON; the last one counts
  kStrings = 1,  ///< new strings: count, lengths, texts
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

/// What a chunk holds.
struct Directory {
  std::vector<Segment> segments;
  std::vector<std::pair<ColumnKey, std::uint64_t>> rows;  ///< by table and part: rows so far

  std::string to_bytes() const;
  static bool from_bytes(std::string_view bytes, Directory& directory);
};

}  // namespace tact

/// Appends a Run to a file, chunk by chunk. Each call writes the rows that are new since the last
/// call, so a recorder can flush a run that still grows.
class RunWriter {
 public:
  RunWriter(OutputFile file, unsigned threads) : file_(std::move(file)), threads_(threads) {}

  Status append(Run& run, Progress& progress);
  /// Marks the file as complete and gives it its name.
  Status finish();
  std::uint64_t bytes() const { return file_.written(); }

 private:
  struct Piece;

  Status write_chunk(std::vector<Piece>& pieces, std::uint32_t flags);
  void add_texts(const Run& run, std::vector<Piece>& pieces);
  void add_rows(const ColumnKey& key, const Column& column, std::size_t until,
                std::vector<Piece>& pieces);

  OutputFile file_;
  unsigned threads_;
  std::size_t strings_written_ = 0;
  std::map<ColumnKey, std::uint64_t> rows_written_;  ///< by column
  std::map<ColumnKey, std::uint64_t> table_rows_;    ///< by table and part
};

/// Writes a whole Run to a new file.
Result<std::uint64_t> write_run(Run& run, const std::string& path, bool overwrite, unsigned threads,
                                Progress& progress);

/// Opens a file. A column is read at its first use; an error in it shows in Run::status. An
/// unfinished file opens up to its last whole chunk, with a warning.
Result<Run> open_run(const std::string& path, unsigned threads);
/// The same for a file that is open already; `path` is for messages.
Result<Run> open_run(File file, const std::string& path, unsigned threads);

/// True if the bytes are the start of a `.tact` file.
bool is_tact(std::string_view head);

}  // namespace tactus
