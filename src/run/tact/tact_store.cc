#include "run/tact/tact_store.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/parallel.h"
#include "run/facts_json.h"
#include "run/identity.h"
#include "run/tact/segment.h"

namespace tactus {
namespace {

using tact::Directory;
using tact::Segment;

constexpr std::size_t kLargestText = 1 << 30;        // [bytes]
constexpr std::size_t kLargestDirectory = 64 << 20;  // [bytes]
constexpr std::size_t kReadAhead = 16 << 10;         // [bytes], enough for most directories

template <class T>
T load_fixed(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

bool is_column(const ColumnKey& key, TableId table, std::uint32_t column) {
  return key.table == static_cast<std::uint8_t>(table) && key.column == column;
}

}  // namespace

std::mutex& TactStore::mutex(const ColumnKey& key) const {
  return mutexes_[(key.table * 7U + key.part * 5U + key.column) % mutexes_.size()];
}

Status TactStore::status() const {
  const std::lock_guard lock(status_mutex_);
  return status_;
}

std::string TactStore::damaged(const std::string& what, std::uint64_t offset) const {
  return path_ + ": is damaged: " + what + " at byte " + std::to_string(offset) +
         "; import the recording again";
}

Status TactStore::check_header() {
  char header[tact::kHeaderBytes];
  if (size_ < sizeof header) return input_error(path_ + ": is too short for a .tact file");
  if (Status status = file_.read_at(0, header, sizeof header, path_); !status) return status;
  version_ = load_fixed<std::uint32_t>(header + 4);
  if (version_ < 1 || version_ > tact::kVersion) {
    return input_error(path_ + ": is a .tact file of version " + std::to_string(version_) +
                       "; this tactus reads versions 1 to " + std::to_string(tact::kVersion));
  }
  return {};
}

bool TactStore::read_chunk(std::uint64_t at, Chunk& chunk) {
  if (at > size_ || size_ - at < tact::kChunkHeaderBytes) return false;
  std::string bytes(std::min<std::uint64_t>(size_ - at, kReadAhead), '\0');
  if (!file_.read_at(at, bytes.data(), bytes.size(), path_)) return false;
  if (!std::string_view(bytes).starts_with(tact::kChunkMagic)) return false;
  const auto flags = load_fixed<std::uint32_t>(bytes.data() + 4);
  const auto directory_size = load_fixed<std::uint64_t>(bytes.data() + 8);
  const auto payload_size = load_fixed<std::uint64_t>(bytes.data() + 16);
  const auto directory_hash = load_fixed<std::uint64_t>(bytes.data() + 24);
  const std::uint64_t left = size_ - at - tact::kChunkHeaderBytes;
  if (directory_size > std::min<std::uint64_t>(left, kLargestDirectory)) return false;
  if (bytes.size() < tact::kChunkHeaderBytes + directory_size) {
    bytes.resize(tact::kChunkHeaderBytes + directory_size);
    if (!file_.read_at(at, bytes.data(), bytes.size(), path_)) return false;
  }
  const std::string_view directory_bytes =
      std::string_view(bytes).substr(tact::kChunkHeaderBytes, directory_size);
  chunk.directory = {};
  if (!hash_fits(directory_hash, hash_bytes(directory_bytes)) ||
      !Directory::from_bytes(directory_bytes, chunk.directory)) {
    return false;
  }
  if (payload_size > left - directory_size) {
    // The rest of it is missing, but it says what it was to hold.
    if (chunk.directory.summary) lost_slices_ += chunk.directory.summary->slices;
    return false;
  }
  std::uint64_t offset = at + tact::kChunkHeaderBytes + directory_size;
  chunk.offset = at;
  chunk.end = offset + payload_size;
  for (Segment& segment : chunk.directory.segments) {
    if (segment.bytes > chunk.end - offset) return false;
    segment.offset = offset;
    offset += segment.bytes;
  }
  is_finished_ |= (flags & tact::kFinished) != 0;
  return true;
}

std::vector<TactStore::Chunk> TactStore::read_chunks() {
  std::vector<Chunk> chunks;
  Chunk chunk;
  while (!is_finished_ && at_ < size_ && read_chunk(at_, chunk)) {
    at_ = chunk.end;
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

bool TactStore::is_intact(const Chunk& chunk) const {
  std::string bytes;
  return std::all_of(chunk.directory.segments.begin(), chunk.directory.segments.end(),
                     [&](const Segment& segment) { return bool(read_bytes(segment, bytes)); });
}

void TactStore::cut_damaged_tail(std::vector<Chunk>& chunks) {
  if (is_finished_ || chunks.empty()) return;
  const std::uint64_t synced = chunks.back().directory.synced_bytes;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].end <= synced || is_intact(chunks[i])) continue;
    at_ = chunks[i].offset;
    for (std::size_t lost = i; lost < chunks.size(); ++lost) {
      const auto& summary = chunks[lost].directory.summary;
      if (summary) lost_slices_ += summary->slices;
    }
    chunks.resize(i);
    return;
  }
}

Status TactStore::read_bytes(const Segment& segment, std::string& into) const {
  into.resize(segment.bytes);
  if (Status status = file_.read_at(segment.offset, into.data(), into.size(), path_); !status) {
    return status;
  }
  if (!hash_fits(segment.hash, static_cast<std::uint32_t>(hash_bytes(into)))) {
    return input_error(damaged("a checksum is wrong", segment.offset));
  }
  return {};
}

Result<std::string> TactStore::read_text(const Segment& segment) const {
  std::string bytes;
  if (Status status = read_bytes(segment, bytes); !status) return status.error();
  Result<std::string> text = decompress_text(bytes, kLargestText);
  if (!text) return input_error(damaged(text.error().message, segment.offset));
  return text;
}

Status TactStore::take_strings(const Segment& segment, Run& run) const {
  const Result<std::string> text = read_text(segment);
  if (!text) return text.error();
  const auto broken = [&] {
    return input_error(damaged("strings cannot be unpacked", segment.offset));
  };
  std::string_view rest = *text;
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < segment.rows; ++i) {
    std::uint64_t size = 0;
    if (!take_varint(rest, size)) return broken();
    sizes.push_back(size);
  }
  std::uint64_t id = segment.first_row;
  for (const std::uint64_t size : sizes) {
    const std::string_view next = rest.substr(0, size);
    if (next.size() != size || run.strings.intern(next) != StringId(id++)) return broken();
    rest.remove_prefix(size);
  }
  return {};
}

Status TactStore::take_texts(const Chunk& chunk, Run& run) {
  for (const Segment& segment : chunk.directory.segments) {
    if (segment.key.table != tact::kTextTable) continue;
    if (segment.key.column == tact::kStrings) {
      if (Status status = take_strings(segment, run); !status) return status;
    } else if (segment.key.column == tact::kFacts) {
      const Result<std::string> json = read_text(segment);
      if (!json) return json.error();
      std::size_t captured = 0;
      const bool fits =
          version_ == 1 ? facts_of_version_1(*json, run, captured) : add_facts(*json, run);
      if (!fits) return input_error(damaged("the facts cannot be unpacked", segment.offset));
      has_facts_ = true;
      if (captured != 0) first_captured_ = captured;  // from the end; settled by open
    }
  }
  return {};
}

void TactStore::take_rows(const Chunk& chunk) {
  for (const Segment& segment : chunk.directory.segments) {
    if (segment.key.table != tact::kTextTable) segments_[segment.key].push_back(segment);
  }
  if (is_window_) return;
  for (const Segment& segment : chunk.directory.segments) {
    if (segment.key.table == tact::kTextTable || segment.key.column != 0) continue;
    rows_[segment.key] = segment.first_row + segment.rows;
  }
}

std::optional<std::vector<TactStore::Chunk>> TactStore::read_by_index(Run& run) {
  char trailer[tact::kTrailerBytes];
  if (size_ < tact::kHeaderBytes + sizeof trailer) return std::nullopt;
  if (!file_.read_at(size_ - sizeof trailer, trailer, sizeof trailer, path_)) return std::nullopt;
  if (std::string_view(trailer + 8, 8) != tact::kTrailerMagic) return std::nullopt;
  Chunk last;
  const auto offset = load_fixed<std::uint64_t>(trailer);
  if (offset < tact::kHeaderBytes || !read_chunk(offset, last) || !is_finished_) {
    return std::nullopt;
  }
  std::vector<tact::IndexEntry> index;
  for (const Segment& segment : last.directory.segments) {
    if (segment.key.table != tact::kTextTable || segment.key.column != tact::kIndex) continue;
    const Result<std::string> bytes = read_text(segment);
    if (!bytes || !tact::index_from_bytes(*bytes, index)) return std::nullopt;
  }
  // Texts tell the clocks, and clocks tell which chunks are in the window.
  std::vector<Chunk> chunks(index.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    chunks[i].offset = index[i].offset;
    chunks[i].directory.summary = index[i].summary;
    if (!index[i].summary.has_text && !index[i].summary.has_timeless_rows) continue;
    if (!read_chunk(index[i].offset, chunks[i])) return std::nullopt;
    if (!take_texts(chunks[i], run)) return std::nullopt;
  }
  at_ = last.end;
  return chunks;
}

Result<Column> TactStore::read_column(const Chunk& chunk, TableId table,
                                      std::uint32_t column) const {
  Column all;
  for (const Segment& segment : chunk.directory.segments) {
    if (!is_column(segment.key, table, column)) continue;
    std::string bytes;
    SegmentRoom room;
    Column part;
    if (Status status = read_bytes(segment, bytes); !status) return status.error();
    if (segment.rows > kSegmentRows || !decode_segment(bytes, segment.rows, part, room)) {
      return input_error(damaged("a column cannot be unpacked", segment.offset));
    }
    all.append(std::move(part));
  }
  return all;
}

/// Applies clocks to times; gives slices of captures in version 1 their own categories.
void TactStore::map_rows(const ColumnKey& key, std::size_t first, Column& column) const {
  const auto owner = [&](TableId table, std::uint32_t by) {
    Column owners;
    load_from({.table = static_cast<std::uint8_t>(table), .part = 0, .column = by}, 0, owners);
    return owners;
  };
  for (const TableId table : {TableId::kSlices, TableId::kInstants, TableId::kFlows}) {
    if (clock_of_track_.empty() || !is_column(key, table, EventTable::kStart)) continue;
    map_times(column, owner(table, EventTable::kTrack), clock_of_track_, first);
  }
  if (!clock_of_series_.empty() && is_column(key, TableId::kCounters, Counters::kTime)) {
    map_times(column, owner(TableId::kCounters, Counters::kSeries), clock_of_series_, first);
  }
  if (captured_category_.empty() || !is_column(key, TableId::kSlices, EventTable::kCategory)) {
    return;
  }
  std::vector<std::int64_t> values(column.size());
  column.read(0, values);
  for (std::size_t i = first_captured_; i < values.size(); ++i) {
    const auto category = static_cast<std::size_t>(values[i]);
    if (category < captured_category_.size()) values[i] = captured_category_[category];
  }
  column = Column();
  column.append(values);
  column.shrink();
}

void TactStore::load_from(const ColumnKey& key, std::size_t first_segment, Column& into) const {
  const auto found = segments_.find(key);
  if (found == segments_.end()) return;
  const std::span<const Segment> segments = std::span(found->second).subspan(first_segment);
  struct Workplace {
    std::string bytes;
    SegmentRoom room;
  };
  std::vector<Workplace> workplaces(threads_);
  std::vector<Column> columns(segments.size());
  std::vector<Status> outcomes(segments.size());
  parallel_for(threads_, segments.size(), [&](std::size_t i, unsigned worker) {
    const Segment& segment = segments[i];
    auto& [bytes, room] = workplaces[worker];
    outcomes[i] = read_bytes(segment, bytes);
    if (outcomes[i] && !decode_segment(bytes, segment.rows, columns[i], room)) {
      outcomes[i] = input_error(damaged("a column cannot be unpacked", segment.offset));
    }
    if (!outcomes[i]) {
      columns[i] = Column();
      columns[i].append(std::vector<std::int64_t>(segment.rows, 0));
      columns[i].shrink();
    }
  });
  for (std::size_t i = 0; i < segments.size(); ++i) {
    into.append(std::move(columns[i]));
    const std::lock_guard lock(status_mutex_);
    if (!outcomes[i] && status_) status_ = outcomes[i];
  }
  into.shrink();
}

void TactStore::load(const ColumnKey& key, Column& into) const {
  load_from(key, 0, into);
  map_rows(key, 0, into);
}

void TactStore::load_more(const ColumnKey& key, Column& into) const {
  const auto found = segments_.find(key);
  if (found == segments_.end()) return;
  std::size_t known = 0;
  std::size_t rows = 0;
  while (known < found->second.size() && rows < into.size()) rows += found->second[known++].rows;
  const std::size_t first = into.size();
  load_from(key, known, into);
  map_rows(key, first, into);
}

/// Points the Run's columns to their segments and checks that each table is complete.
Status TactStore::attach(Run& run) const {
  const auto rows_of = [&](TableId table, std::uint32_t part) {
    const auto found = rows_.find(table_key(table, part));
    return found == rows_.end() ? 0 : found->second;
  };
  const auto prepare_events = [&](EventTable& events, TableId table, TableId args) {
    events.set_rows(rows_of(table, 0));
    events.forget_owners();
    while (events.args().size() < run.shapes.size()) events.args().emplace_back();
    for (std::uint32_t shape = 0; shape < run.shapes.size(); ++shape) {
      ArgTable& values = events.args()[shape];
      if (values.columns.size() != run.shapes[shape].size()) {
        values.columns = std::vector<LazyColumn>(run.shapes[shape].size());
      }
      values.rows = rows_of(args, shape);
    }
  };
  prepare_events(run.slices, TableId::kSlices, TableId::kSliceArgs);
  prepare_events(run.instants, TableId::kInstants, TableId::kInstantArgs);
  prepare_events(run.flows, TableId::kFlows, TableId::kFlowArgs);
  run.counters.rows = rows_of(TableId::kCounters, 0);
  if (!is_window_) run.links.rows = rows_of(TableId::kLinks, 0);
  run.stacks.rows = rows_of(TableId::kStacks, 0);
  run.patterns.rows = rows_of(TableId::kPatterns, 0);

  Status status;
  run.for_each_column([&](const ColumnKey& key, LazyColumn& column) {
    if (is_window_ && key.table == static_cast<std::uint8_t>(TableId::kLinks)) return;
    column.back_with(this, key);
    std::uint64_t rows = 0;
    bool in_order = true;
    const auto found = segments_.find(key);
    if (found != segments_.end()) {
      for (const Segment& segment : found->second) {
        in_order &= (is_window_ || segment.first_row == rows) && segment.rows <= kSegmentRows;
        rows += segment.rows;
      }
    }
    if (!in_order || rows != rows_of(static_cast<TableId>(key.table), key.part)) {
      status = input_error(damaged("rows are missing from a table", size_));
    }
  });
  return status;
}

void TactStore::tell_lost(Run& run, std::uint64_t at, std::uint64_t lost_slices) const {
  run.warnings.push_back(path_ + ": ends early at byte " + std::to_string(at) + " of " +
                         std::to_string(size_) + "; the complete part before it is shown");
  run.dropped["truncated_input"] += 1;
  if (lost_slices != 0) run.dropped["lost_in_last_commit"] += lost_slices;
}

/// Version 1 did not say which sources are captures: those of the captured slices.
void TactStore::mark_captured_sources(Run& run) const {
  Column tracks;
  load_from({.table = static_cast<std::uint8_t>(TableId::kSlices),
             .part = 0,
             .column = EventTable::kTrack},
            0, tracks);
  for (std::size_t row = first_captured_; row < tracks.size(); ++row) {
    const auto track = static_cast<std::size_t>(tracks[row]);
    if (track >= run.tracks.size()) continue;
    const Thread& thread = run.threads[run.tracks[track].thread.value];
    run.sources[run.processes[thread.process.value].source.value].is_capture = true;
  }
}

Status TactStore::open(Run& run, const std::optional<TimeSpan>& window) {
  const Result<std::uint64_t> size = file_.size(path_);
  if (!size) return size.error();
  size_ = *size;
  if (Status status = check_header(); !status) return status;
  at_ = tact::kHeaderBytes;
  is_window_ = window && version_ > 1;

  std::optional<std::vector<Chunk>> chunks;
  if (is_window_) chunks = read_by_index(run);
  if (!chunks) {
    run = Run();
    is_finished_ = has_facts_ = false;
    lost_slices_ = 0;
    at_ = tact::kHeaderBytes;
    chunks = read_chunks();
    cut_damaged_tail(*chunks);
    for (const Chunk& chunk : *chunks) {
      if (Status status = take_texts(chunk, run); !status) return status;
    }
  }
  if (!has_facts_) return input_error(damaged("nothing complete was found", at_));
  if (is_window_) {
    if (Status status = take_window(std::move(*chunks), *window, run); !status) return status;
  } else {
    for (const Chunk& chunk : *chunks) take_rows(chunk);
  }
  if (first_captured_ != UINT64_MAX) {
    // Version 1 counted the captured slices from the end, so a cut file cannot tell which they are.
    const std::uint64_t rows = rows_[table_key(TableId::kSlices)];
    const bool is_whole = is_finished_ && at_ == size_;
    first_captured_ = is_whole && first_captured_ <= rows ? rows - first_captured_ : rows;
    mark_captured_sources(run);
    const std::size_t known = run.categories.size();
    for (std::size_t i = 0; i < known; ++i) {
      captured_category_.push_back(static_cast<std::int64_t>(run.categories.size()));
      Category twin = run.categories[i];
      twin.is_captured = true;
      run.categories.push_back(twin);
    }
  }
  resolve_identity(run);
  clock_of_track_ = clocks_of_tracks(run);
  clock_of_series_ = clocks_of_series(run);
  if (Status status = attach(run); !status) return status;
  if (!is_finished_ || at_ < size_) tell_lost(run, at_, lost_slices_);
  return {};
}

Result<std::uint64_t> TactStore::follow(Run& run) {
  const Result<std::uint64_t> size = file_.size(path_);
  if (!size) return size.error();
  if (*size < size_) {
    return input_error(path_ + ": became shorter while it was read; open it again");
  }
  size_ = *size;
  if (version_ == 0) {
    if (size_ < tact::kHeaderBytes) return std::uint64_t{0};
    if (Status status = check_header(); !status) return status.error();
    at_ = tact::kHeaderBytes;
  }
  const std::vector<Chunk> chunks = read_chunks();
  if (chunks.empty()) return std::uint64_t{0};
  for (const Chunk& chunk : chunks) {
    if (Status status = take_texts(chunk, run); !status) return status.error();
    take_rows(chunk);
  }
  resolve_identity(run);
  clock_of_track_ = clocks_of_tracks(run);
  clock_of_series_ = clocks_of_series(run);
  if (Status status = attach(run); !status) return status.error();
  return std::uint64_t{chunks.size()};
}

}  // namespace tactus
