#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "run/lazy_column.h"
#include "run/run.h"
#include "run/tact/tact_file.h"

namespace tactus {

/// An open file: where its chunks and columns are.
class TactStore final : public ColumnStore {
 public:
  TactStore(File file, std::string path, unsigned threads)
      : file_(std::move(file)), path_(std::move(path)), threads_(threads == 0 ? 1 : threads) {}

  void load(const ColumnKey& key, Column& into) const override;
  void load_more(const ColumnKey& key, Column& into) const override;
  std::mutex& mutex(const ColumnKey& key) const override;
  Status status() const;

  Status open(Run& run, const std::optional<TimeSpan>& window);

  /// Takes the chunks that were committed since; their number.
  Result<std::uint64_t> follow(Run& run);
  bool is_finished() const { return is_finished_; }

 private:
  struct Chunk {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    tact::Directory directory;  ///< its segments know their offset
  };
  enum class Take : std::uint8_t { kTexts, kRows };

  Status check_header();
  /// Reads the head and the directory of the chunk at `at`; false if there is no whole chunk.
  bool read_chunk(std::uint64_t at, Chunk& chunk);
  std::vector<Chunk> read_chunks();
  std::optional<std::vector<Chunk>> read_by_index(Run& run);
  /// Leaves out chunks at the end of an unfinished file whose bytes did not reach the disk.
  void cut_damaged_tail(std::vector<Chunk>& chunks);
  bool is_intact(const Chunk& chunk) const;

  Status take_texts(const Chunk& chunk, Run& run);
  Status take_strings(const tact::Segment& segment, Run& run) const;
  void take_rows(const Chunk& chunk);
  Status take_window(std::vector<Chunk> chunks, const TimeSpan& window, Run& run);

  Status read_bytes(const tact::Segment& segment, std::string& into) const;
  Result<std::string> read_text(const tact::Segment& segment) const;
  Result<Column> read_column(const Chunk& chunk, TableId table, std::uint32_t column) const;
  Result<std::int64_t> first_launch(std::vector<Chunk>& chunks, const std::vector<bool>& is_taken);
  Status take_links(const std::vector<Chunk>& chunks, const std::vector<bool>& is_taken, Run& run);

  Status attach(Run& run) const;
  void mark_captured_sources(Run& run) const;
  void map_rows(const ColumnKey& key, std::size_t first, Column& column) const;
  void load_from(const ColumnKey& key, std::size_t first_segment, Column& into) const;
  void tell_lost(Run& run, std::uint64_t at, std::uint64_t lost_slices) const;
  std::string damaged(const std::string& what, std::uint64_t offset) const;

  File file_;
  std::string path_;
  unsigned threads_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;  ///< behind the last chunk that was taken
  std::uint32_t version_ = 0;
  bool is_finished_ = false;
  bool has_facts_ = false;
  bool is_window_ = false;
  std::uint64_t lost_slices_ = 0;  ///< in commits that are damaged
  std::map<ColumnKey, std::vector<tact::Segment>> segments_;
  std::map<ColumnKey, std::uint64_t> rows_;  ///< by table and part

  // How values change on their way from the file.
  std::vector<Clock> clock_of_track_;  ///< empty if no clock changes times
  std::vector<Clock> clock_of_series_;
  std::uint64_t first_captured_ = UINT64_MAX;    ///< slice, in files of version 1
  std::vector<std::int64_t> captured_category_;  ///< by category, likewise

  mutable std::array<std::mutex, 16> mutexes_;  ///< by column
  mutable std::mutex status_mutex_;
  mutable Status status_;
};

}  // namespace tactus
