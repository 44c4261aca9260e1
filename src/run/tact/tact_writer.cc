#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/parallel.h"
#include "run/facts_json.h"
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

}  // namespace

/// A segment to write: its content and its packed bytes.
struct RunWriter::Piece {
  Segment segment;
  const Column* column = nullptr;  ///< null for texts
  std::string text;
  std::string packed;

  void pack() {
    if (column == nullptr) {
      packed = compress_text(text);
    } else {
      std::vector<std::int64_t> values(segment.rows);
      column->read(segment.first_row, values);
      packed = encode_segment(values);
    }
    segment.bytes = packed.size();
    segment.hash = static_cast<std::uint32_t>(hash_bytes(packed));
  }
};

Status RunWriter::write_chunk(std::vector<Piece>& pieces, std::uint32_t flags) {
  parallel_for(threads_, pieces.size(), [&](std::size_t i, unsigned) { pieces[i].pack(); });
  Directory directory;
  std::uint64_t payload_bytes = 0;
  for (const Piece& piece : pieces) {
    directory.segments.push_back(piece.segment);
    payload_bytes += piece.packed.size();
  }
  directory.rows.assign(table_rows_.begin(), table_rows_.end());
  const std::string directory_bytes = directory.to_bytes();

  std::string head;
  if (file_.written() == 0) {
    head.append(tact::kMagic);
    append_fixed(head, tact::kVersion);
    head.append(tact::kHeaderBytes - head.size(), '\0');
  }
  head.append(tact::kChunkMagic);
  append_fixed(head, flags);
  append_fixed(head, static_cast<std::uint64_t>(directory_bytes.size()));
  append_fixed(head, payload_bytes);
  append_fixed(head, hash_bytes(directory_bytes));
  head.append(directory_bytes);
  if (Status status = file_.write(head); !status) return status;
  for (const Piece& piece : pieces) {
    if (Status status = file_.write(piece.packed); !status) return status;
  }
  pieces.clear();
  return {};
}

void RunWriter::add_texts(const Run& run, std::vector<Piece>& pieces) {
  while (strings_written_ < run.strings.size()) {
    std::string lengths;
    std::string texts;
    std::uint64_t count = 0;
    const std::size_t first = strings_written_;
    while (strings_written_ < run.strings.size() && texts.size() < kTextPiece) {
      const std::string_view text = run.strings[StringId(strings_written_++)];
      append_varint(lengths, text.size());
      texts.append(text);
      ++count;
    }
    Piece piece;
    piece.segment.key = {.table = tact::kTextTable, .part = 0, .column = tact::kStrings};
    piece.segment.first_row = first;
    piece.segment.rows = count;
    piece.text = lengths + texts;
    pieces.push_back(std::move(piece));
  }
  Piece facts;
  facts.segment.key = {.table = tact::kTextTable, .part = 0, .column = tact::kFacts};
  facts.text = facts_to_json(run);
  pieces.push_back(std::move(facts));
}

void RunWriter::add_rows(const ColumnKey& key, const Column& column, std::size_t until,
                         std::vector<Piece>& pieces) {
  until = std::min(until, column.size());  // a run from a damaged file may lack rows
  std::uint64_t& written = rows_written_[key];
  while (written < until) {
    Piece piece;
    piece.segment.key = key;
    piece.segment.first_row = written;
    piece.segment.rows = std::min<std::uint64_t>(until - written, kSegmentRows);
    piece.column = &column;
    written += piece.segment.rows;
    pieces.push_back(std::move(piece));
  }
  std::uint64_t& rows = table_rows_[{.table = key.table, .part = key.part, .column = 0}];
  rows = std::max<std::uint64_t>(rows, until);
}

Status RunWriter::append(Run& run, Progress& progress) {
  std::vector<Piece> pieces;
  add_texts(run, pieces);
  if (Status status = write_chunk(pieces, 0); !status) return status;

  // Slices in groups, each with its arguments, so a file that ends too early has whole slices.
  const auto is_slice_table = [](const ColumnKey& key) {
    return key.table == static_cast<std::uint8_t>(TableId::kSlices) ||
           key.table == static_cast<std::uint8_t>(TableId::kSliceArgs);
  };
  const ColumnKey slices{
      .table = static_cast<std::uint8_t>(TableId::kSlices), .part = 0, .column = 0};
  std::vector<std::uint64_t> arg_rows(run.slices.args().size(), 0);
  for (std::size_t shape = 0; shape < arg_rows.size(); ++shape) {
    arg_rows[shape] = rows_written_[{.table = static_cast<std::uint8_t>(TableId::kSliceArgs),
                                     .part = static_cast<std::uint32_t>(shape),
                                     .column = 0}];
  }
  while (rows_written_[slices] < run.slices.size()) {
    const std::size_t first = rows_written_[slices];
    const std::size_t until = std::min(first + kSegmentRows, run.slices.size());
    run.slices.shape().for_each_piece(first, until,
                                      [&](std::size_t, std::span<const std::int64_t> shapes) {
                                        for (const std::int64_t shape : shapes) {
                                          const auto index = static_cast<std::size_t>(shape);
                                          if (index < arg_rows.size()) ++arg_rows[index];
                                        }
                                      });
    run.for_each_column([&](const ColumnKey& key, LazyColumn& column) {
      if (!is_slice_table(key)) return;
      const bool is_args = key.table == static_cast<std::uint8_t>(TableId::kSliceArgs);
      add_rows(key, column.get(), is_args ? arg_rows[key.part] : until, pieces);
    });
    if (Status status = write_chunk(pieces, 0); !status) return status;
    progress.update("writing", until, run.slices.size());
  }
  run.for_each_column([&](const ColumnKey& key, LazyColumn& column) {
    if (!is_slice_table(key)) add_rows(key, column.get(), column.get().size(), pieces);
  });
  return pieces.empty() ? Status() : write_chunk(pieces, 0);
}

Status RunWriter::finish() {
  std::vector<Piece> nothing;
  if (Status status = write_chunk(nothing, tact::kFinished); !status) return status;
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
