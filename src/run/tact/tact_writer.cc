#include <algorithm>
#include <limits>

#include "base/arithmetic.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "run/tact/segment.h"
#include "run/tact/tact_file.h"

namespace tactus {
namespace {

using tact::Directory;
using tact::Segment;

/// Strings are written in pieces of about this size.
constexpr std::size_t kTextPiece = 4 << 20;

template <class T>
void append_fixed(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Calls f(values...) for rows [first, until) of some columns of one table, piece by piece.
template <std::size_t N, class F>
void for_each_row(const std::array<const Column*, N>& columns, std::size_t first, std::size_t until,
                  F&& f) {
  std::array<std::array<std::int64_t, Column::kBlockRows>, N> room;
  while (first < until) {
    const std::size_t count = std::min(until - first, Column::kBlockRows);
    for (std::size_t c = 0; c < N; ++c) {
      columns[c]->read(first, std::span(room[c]).first(count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::array<std::int64_t, N> values;
      for (std::size_t c = 0; c < N; ++c) values[c] = room[c][i];
      f(values);
    }
    first += count;
  }
}

void clear(std::span<LazyColumn> columns) {
  for (LazyColumn& column : columns) column.writable() = Column();
}

}  // namespace

/// A segment to write: its content and its packed bytes.
struct RunWriter::Piece {
  Segment segment;
  const Column* column = nullptr;  ///< null for texts
  std::uint64_t place = 0;         ///< of the first row in the column
  std::string text;
  std::string packed;

  void pack() {
    if (column == nullptr) {
      packed = compress_text(text);
    } else {
      std::vector<std::int64_t> values(segment.rows);
      column->read(place, values);
      packed = encode_segment(values);
    }
    segment.bytes = packed.size();
    segment.hash = static_cast<std::uint32_t>(hash_bytes(packed));
  }
};

RunWriter::RunWriter(OutputFile file, unsigned threads)
    : file_(std::move(file)), threads_(threads) {}
RunWriter::~RunWriter() = default;

std::uint64_t RunWriter::forgotten(TableId table, std::uint32_t part) const {
  const auto found = forgotten_.find(table_key(table, part));
  return found == forgotten_.end() ? 0 : found->second;
}

std::uint64_t RunWriter::written(TableId table, std::uint32_t part) const {
  const auto found = rows_written_.find(table_key(table, part));
  return found == rows_written_.end() ? 0 : found->second;
}

/// Writes what was added since the chunk before.
Status RunWriter::write_chunk(std::uint32_t flags) {
  const std::uint64_t offset = std::max<std::uint64_t>(file_.written(), tact::kHeaderBytes);
  if ((flags & tact::kFinished) != 0) {
    add_text(tact::kIndex, 0, 0, tact::index_to_bytes(index_));
  }
  parallel_for(threads_, pieces_.size(), [&](std::size_t i, unsigned) { pieces_[i].pack(); });
  Directory directory;
  std::uint64_t payload_bytes = 0;
  for (const Piece& piece : pieces_) {
    directory.segments.push_back(piece.segment);
    payload_bytes += piece.packed.size();
  }
  if ((flags & tact::kFinished) != 0) payload_bytes += tact::kTrailerBytes;
  directory.summary = std::move(summary_);
  directory.synced_bytes = synced_bytes_;
  const std::string directory_bytes = directory.to_bytes();

  std::string bytes;
  if (file_.written() == 0) {
    bytes.append(tact::kMagic);
    append_fixed(bytes, tact::kVersion);
    bytes.append(tact::kHeaderBytes - bytes.size(), '\0');
  }
  bytes.append(tact::kChunkMagic);
  append_fixed(bytes, flags);
  append_fixed(bytes, static_cast<std::uint64_t>(directory_bytes.size()));
  append_fixed(bytes, payload_bytes);
  append_fixed(bytes, hash_bytes(directory_bytes));
  bytes.append(directory_bytes);
  for (const Piece& piece : pieces_) bytes.append(piece.packed);
  if ((flags & tact::kFinished) != 0) {
    append_fixed(bytes, offset);
    bytes.append(tact::kTrailerMagic);
  }
  if (Status status = file_.write(bytes); !status) return status;
  directory.summary->categories.clear();
  directory.summary->names.clear();
  index_.push_back({offset, std::move(*directory.summary)});
  pieces_.clear();
  summary_ = {};
  return sync_if_due();
}

Status RunWriter::sync_if_due() {
  if (!sync_interval_) return {};
  const auto now = std::chrono::steady_clock::now();
  if (now - last_sync_ < *sync_interval_) return {};
  last_sync_ = now;
  const std::uint64_t bytes = file_.written();
  if (Status status = file_.sync(); !status) return status;
  synced_bytes_ = bytes;
  return {};
}

void RunWriter::add_text(std::uint8_t column, std::uint64_t first_row, std::uint64_t rows,
                         std::string text) {
  Piece piece;
  piece.segment.key = {.table = tact::kTextTable, .part = 0, .column = column};
  piece.segment.first_row = first_row;
  piece.segment.rows = rows;
  piece.text = std::move(text);
  pieces_.push_back(std::move(piece));
  summary_.has_text = true;
}

void RunWriter::add_texts(const Run& run) {
  while (strings_written_ < run.strings.size()) {
    std::string lengths;
    std::string texts;
    const std::size_t first = strings_written_;
    while (strings_written_ < run.strings.size() && texts.size() < kTextPiece) {
      const std::string_view text = run.strings[StringId(strings_written_++)];
      append_varint(lengths, text.size());
      texts.append(text);
    }
    add_text(tact::kStrings, first, strings_written_ - first, lengths + texts);
  }
  if (std::string facts = facts_.changes(run); !facts.empty()) {
    add_text(tact::kFacts, 0, 0, std::move(facts));
  }
}

void RunWriter::add_rows(const ColumnKey& key, const Column& column, std::uint64_t until) {
  const ColumnKey table{.table = key.table, .part = key.part, .column = 0};
  const auto gone = forgotten_.find(table);
  const std::uint64_t first = gone == forgotten_.end() ? 0 : gone->second;
  until = std::min<std::uint64_t>(until, first + column.size());  // a damaged run may lack rows
  std::uint64_t& written = rows_written_[key];
  if (written >= until) return;
  while (written < until) {
    Piece piece;
    piece.segment.key = key;
    piece.segment.first_row = written;
    piece.segment.rows = std::min<std::uint64_t>(until - written, kSegmentRows);
    piece.column = &column;
    piece.place = written - first;
    written += piece.segment.rows;
    pieces_.push_back(std::move(piece));
  }
}

/// Adds the events up to a row, with their arguments.
void RunWriter::add_group(EventTable& events, TableId table, TableId args, std::uint64_t until) {
  const std::uint64_t first = written(table);
  const std::uint64_t gone = forgotten(table);
  std::map<std::uint32_t, std::uint64_t> rows_of_shape;
  for_each_row(std::array{&events.shape(), &events.start(), &events.dur()}, first - gone,
               until - gone, [&](const auto& values) {
                 if (values[0] != 0) ++rows_of_shape[static_cast<std::uint32_t>(values[0])];
                 summary_.add_time(values[1], wrapping_add(values[1], values[2]));
               });
  for (std::uint32_t column = 0; column < EventTable::kColumns; ++column) {
    add_rows({.table = static_cast<std::uint8_t>(table), .part = 0, .column = column},
             events.columns()[column].get(), until);
  }
  for (const auto& [shape, rows] : rows_of_shape) {
    if (shape >= events.args().size()) continue;
    const std::uint64_t rows_until = written(args, shape) + rows;
    std::uint32_t column = 0;
    for (LazyColumn& values : events.args()[shape].columns) {
      add_rows({.table = static_cast<std::uint8_t>(args), .part = shape, .column = column++},
               values.get(), rows_until);
    }
  }
}

void RunWriter::summarise_slices(const EventTable& slices, std::uint64_t first,
                                 std::uint64_t until) {
  summary_.first_slice = first;
  summary_.slices = until - first;
  const std::uint64_t gone = forgotten(TableId::kSlices);
  const auto distinct = [&](const Column& column) {
    std::vector<std::uint32_t> ids;
    for_each_row(std::array{&column}, first - gone, until - gone, [&](const auto& values) {
      const auto id = static_cast<std::uint32_t>(values[0]);
      if (id >= is_seen_.size()) is_seen_.resize(std::size_t{id} * 2 + 1, 0);
      if (is_seen_[id] != 0) return;
      is_seen_[id] = 1;
      ids.push_back(id);
    });
    for (const std::uint32_t id : ids) is_seen_[id] = 0;
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  summary_.categories = distinct(slices.category());
  summary_.names = distinct(slices.name());
}

/// Slices in groups, each with its arguments and the links to it, so that a file that ends too
/// early, or is read in part, has whole slices.
Status RunWriter::add_slices(Run& run, Progress& progress) {
  const std::uint64_t end = forgotten(TableId::kSlices) + run.slices.size();
  for (std::uint64_t first = written(TableId::kSlices); first < end;) {
    const std::uint64_t until = std::min<std::uint64_t>(first + kSegmentRows, end);
    add_group(run.slices, TableId::kSlices, TableId::kSliceArgs, until);
    summarise_slices(run.slices, first, until);
    add_links(run, until);
    first = until;
    if (first == end) return {};
    if (Status status = write_chunk(0); !status) return status;
    progress.update("writing", until, end);
  }
  return {};
}

/// The links whose target is before a row. They are sorted by groups of targets.
void RunWriter::add_links(Run& run, std::uint64_t targets_until) {
  const std::uint64_t gone = forgotten(TableId::kLinks);
  const std::uint64_t end = gone + run.links.rows;
  std::uint64_t until = written(TableId::kLinks);
  while (until < end && static_cast<std::uint64_t>(run.links.to()[until - gone]) < targets_until) {
    ++until;
  }
  for (std::uint32_t column = 0; column < run.links.columns.size(); ++column) {
    add_rows({.table = static_cast<std::uint8_t>(TableId::kLinks), .part = 0, .column = column},
             run.links.columns[column].get(), until);
  }
}

/// Instants or flow points, in groups.
Status RunWriter::add_events(EventTable& events, TableId table, TableId args) {
  const std::uint64_t end = forgotten(table) + events.size();
  while (written(table) < end) {
    const std::uint64_t until = std::min<std::uint64_t>(written(table) + kSegmentRows, end);
    add_group(events, table, args, until);
    if (until == end) break;
    if (Status status = write_chunk(0); !status) return status;
  }
  return {};
}

Status RunWriter::add_counters(Counters& counters) {
  const std::uint64_t gone = forgotten(TableId::kCounters);
  const std::uint64_t end = gone + counters.rows;
  while (written(TableId::kCounters) < end) {
    const std::uint64_t first = written(TableId::kCounters);
    const std::uint64_t until = std::min<std::uint64_t>(first + kSegmentRows, end);
    const Column& times = counters.columns[Counters::kTime].get();
    for_each_row(std::array{&times}, first - gone, until - gone,
                 [&](const auto& values) { summary_.add_time(values[0], values[0]); });
    for (std::uint32_t column = 0; column < counters.columns.size(); ++column) {
      add_rows(
          {.table = static_cast<std::uint8_t>(TableId::kCounters), .part = 0, .column = column},
          counters.columns[column].get(), until);
    }
    if (until == end) break;
    if (Status status = write_chunk(0); !status) return status;
  }
  return {};
}

void RunWriter::add_timeless(TableId table, Table& rows) {
  const std::uint64_t until = forgotten(table) + rows.rows;
  if (written(table) == until) return;
  summary_.has_timeless_rows = true;
  for (std::uint32_t column = 0; column < rows.columns.size(); ++column) {
    add_rows({.table = static_cast<std::uint8_t>(table), .part = 0, .column = column},
             rows.columns[column].get(), until);
  }
}

Status RunWriter::append(Run& run, Progress& progress) {
  add_texts(run);
  add_timeless(TableId::kStacks, run.stacks);
  add_timeless(TableId::kPatterns, run.patterns);
  // A long recording is cut into chunks; what is left of one table shares a chunk with the next.
  if (Status status = add_slices(run, progress); !status) return status;
  add_links(run, std::numeric_limits<std::uint64_t>::max());
  if (Status status = add_events(run.instants, TableId::kInstants, TableId::kInstantArgs); !status)
    return status;
  if (Status status = add_events(run.flows, TableId::kFlows, TableId::kFlowArgs); !status)
    return status;
  if (Status status = add_counters(run.counters); !status) return status;
  return pieces_.empty() ? Status() : write_chunk(0);
}

Status RunWriter::append_and_forget(Run& run) {
  NoProgress no_progress;
  if (Status status = append(run, no_progress); !status) return status;
  const auto forget_events = [&](EventTable& events, TableId table, TableId args) {
    forgotten_[table_key(table)] += events.size();
    clear(events.columns());
    events.set_rows(0);
    events.forget_owners();
    for (std::uint32_t shape = 0; shape < events.args().size(); ++shape) {
      ArgTable& rows = events.args()[shape];
      if (rows.rows == 0) continue;
      forgotten_[table_key(args, shape)] += rows.rows;
      clear(rows.columns);
      rows.rows = 0;
    }
  };
  const auto forget = [&](Table& rows, TableId table) {
    forgotten_[table_key(table)] += rows.rows;
    clear(rows.columns);
    rows.rows = 0;
  };
  forget_events(run.slices, TableId::kSlices, TableId::kSliceArgs);
  forget_events(run.instants, TableId::kInstants, TableId::kInstantArgs);
  forget_events(run.flows, TableId::kFlows, TableId::kFlowArgs);
  forget(run.counters, TableId::kCounters);
  forget(run.links, TableId::kLinks);
  return {};
}

Status RunWriter::finish() {
  if (Status status = write_chunk(tact::kFinished); !status) return status;
  return file_.commit();
}

Result<std::uint64_t> write_run(Run& run, const std::string& path, bool overwrite, unsigned threads,
                                Progress& progress) {
  Result<OutputFile> file = OutputFile::create(path, overwrite);
  if (!file) return file.error();
  RunWriter writer(std::move(*file), threads);
  if (Status status = writer.append(run, progress); !status) return status.error();
  if (Status status = writer.finish(); !status) return status.error();
  return writer.bytes();
}

}  // namespace tactus
