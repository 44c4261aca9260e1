#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "run/facts_json.h"
#include "run/run.h"
#include "run/tact/tact_format.h"

namespace tactus {

/// Appends a Run to a file, commit by commit.
class RunWriter {
 public:
  RunWriter(OutputFile file, unsigned threads);
  ~RunWriter();

  /// Commits that are further apart than this are put on disk at once (fdatasync); without it, the
  /// operating system decides.
  void sync_every(std::chrono::milliseconds interval) { sync_interval_ = interval; }

  /// Commits everything that is new since the last call: rows, strings and facts.
  Status append(Run& run, Progress& progress);
  /// The same, and takes the rows out of the run, so that a recorder does not keep them. Rows that
  /// links name count from the beginning of the file.
  Status append_and_forget(Run& run);
  /// Marks the file as complete, adds the index and gives the file its name.
  Status finish();
  std::uint64_t bytes() const { return file_.written(); }

 private:
  struct Piece;

  Status write_chunk(std::uint32_t flags);
  Status sync_if_due();
  void add_texts(const Run& run);
  void add_text(std::uint8_t column, std::uint64_t first_row, std::uint64_t rows, std::string text);
  Status add_slices(Run& run, Progress& progress);
  Status add_events(EventTable& events, TableId table, TableId args);
  void add_group(EventTable& events, TableId table, TableId args, std::uint64_t until);
  void summarise_slices(const EventTable& slices, std::uint64_t first, std::uint64_t until);
  void add_links(Run& run, std::uint64_t targets_until);
  void add_timeless(TableId table, Table& rows);
  Status add_counters(Counters& counters);
  void add_rows(const ColumnKey& key, const Column& column, std::uint64_t until);

  /// Rows of a column that were in earlier commits and are not in the run any more.
  std::uint64_t forgotten(TableId table, std::uint32_t part = 0) const;
  std::uint64_t written(TableId table, std::uint32_t part = 0) const;

  OutputFile file_;
  unsigned threads_;
  std::optional<std::chrono::milliseconds> sync_interval_;
  std::chrono::steady_clock::time_point last_sync_;
  std::uint64_t synced_bytes_ = 0;
  FactsWriter facts_;
  std::size_t strings_written_ = 0;
  std::map<ColumnKey, std::uint64_t> rows_written_;  ///< by column
  std::map<ColumnKey, std::uint64_t> forgotten_;     ///< by table and part
  std::vector<Piece> pieces_;                        ///< of the chunk that is being made
  tact::ChunkSummary summary_;                       ///< likewise
  std::vector<std::uint8_t> is_seen_;                ///< room for finding distinct names
  std::vector<tact::IndexEntry> index_;
};

/// Writes a whole Run to a new file.
Result<std::uint64_t> write_run(Run& run, const std::string& path, bool overwrite, unsigned threads,
                                Progress& progress);

struct OpenOptions {
  unsigned threads = 1;
  /// Only the chunks that hold something of this time [ns of the run], and what it was launched by.
  /// Rows count from the first one that was read.
  std::optional<TimeSpan> window;
};

/// Opens a file. A column is read at its first use; an error in it shows in Run::status. An
/// unfinished file opens up to its last commit, with a warning.
Result<Run> open_run(const std::string& path, const OpenOptions& options);
/// The same for a file that is open already; `path` is for messages.
Result<Run> open_run(File file, const std::string& path, const OpenOptions& options);
inline Result<Run> open_run(const std::string& path, unsigned threads) {
  return open_run(path, OpenOptions{.threads = threads, .window = {}});
}

class TactStore;

/// Reads a file that another process is still writing. No lock is needed: a chunk is taken when it
/// is there as a whole.
class RunFollower {
 public:
  static Result<RunFollower> open(const std::string& path, unsigned threads);

  RunFollower(RunFollower&&) noexcept;
  RunFollower& operator=(RunFollower&&) noexcept;
  ~RunFollower();

  /// Takes what was committed since the last call; false if that was nothing. Columns of `run` that
  /// were read before grow. An error if the file was replaced or became shorter.
  Result<bool> poll();

  const Run& run() const { return run_; }
  std::uint64_t generation() const { return generation_; }  ///< commits taken so far
  bool is_finished() const;

 private:
  RunFollower();

  std::string path_;
  std::uint64_t device_ = 0;  ///< of the file, with its inode: to notice that it was replaced
  std::uint64_t inode_ = 0;
  std::shared_ptr<TactStore> store_;
  Run run_;
  std::uint64_t generation_ = 0;
};

/// True if the bytes are the start of a `.tact` file.
bool is_tact(std::string_view head);

}  // namespace tactus
