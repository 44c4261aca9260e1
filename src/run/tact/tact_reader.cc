#include <algorithm>
#include <cstring>
#include <map>

#include "base/hash.h"
#include "base/parallel.h"
#include "run/facts_json.h"
#include "run/tact/segment.h"
#include "run/tact/tact_file.h"

namespace tactus {
namespace {

using tact::Directory;
using tact::Segment;

constexpr std::size_t kLargestText = 1 << 30;        // [bytes]
constexpr std::size_t kLargestDirectory = 64 << 20;  // [bytes]
constexpr std::size_t kReadAhead = 16 << 10;         // [bytes], enough for most directories

template <class T>
T load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// An open file and where its columns are.
class TactStore final : public ColumnStore {
 public:
  TactStore(File file, std::string path, unsigned threads)
      : file_(std::move(file)), path_(std::move(path)), threads_(std::max(threads, 1U)) {}

  void load(const ColumnKey& key, Column& into) const override;
  Status status() const {
    const std::lock_guard lock(mutex());
    return status_;
  }

  Status open(Run& run);

 private:
  struct ChunkHead {
    std::uint32_t flags = 0;
    std::uint64_t directory_bytes = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t directory_hash = 0;
  };

  Status check_header();
  /// Reads the chunk at `at` and moves past it; false if there is no whole chunk.
  bool take_chunk(std::uint64_t& at);
  Status read_bytes(const Segment& segment, std::string& into) const;
  Status read_strings(Run& run) const;
  Status attach(Run& run) const;
  std::string damaged(const std::string& what, std::uint64_t offset) const;

  File file_;
  std::string path_;
  unsigned threads_;
  std::uint64_t size_ = 0;
  bool finished_ = false;
  std::map<ColumnKey, std::vector<Segment>> segments_;
  std::map<ColumnKey, std::uint64_t> rows_;  ///< by table and part
  mutable Status status_;
};

std::string TactStore::damaged(const std::string& what, std::uint64_t offset) const {
  return path_ + ": is damaged: " + what + " at byte " + std::to_string(offset) +
         "; import the recording again";
}

Status TactStore::check_header() {
  char header[tact::kHeaderBytes];
  if (size_ < sizeof header) return input_error(path_ + ": is too short for a .tact file");
  if (Status status = file_.read_at(0, header, sizeof header, path_); !status) return status;
  const auto version = tactus::load<std::uint32_t>(header + 4);
  if (version != tact::kVersion) {
    return input_error(path_ + ": is a .tact file of version " + std::to_string(version) +
                       "; this tactus reads version " + std::to_string(tact::kVersion));
  }
  return {};
}

bool TactStore::take_chunk(std::uint64_t& at) {
  if (size_ - at < tact::kChunkHeaderBytes) return false;
  std::string bytes(std::min<std::uint64_t>(size_ - at, kReadAhead), '\0');
  if (!file_.read_at(at, bytes.data(), bytes.size(), path_)) return false;
  if (!std::string_view(bytes).starts_with(tact::kChunkMagic)) return false;
  const ChunkHead head{.flags = tactus::load<std::uint32_t>(bytes.data() + 4),
                       .directory_bytes = tactus::load<std::uint64_t>(bytes.data() + 8),
                       .payload_bytes = tactus::load<std::uint64_t>(bytes.data() + 16),
                       .directory_hash = tactus::load<std::uint64_t>(bytes.data() + 24)};
  const std::uint64_t left = size_ - at - tact::kChunkHeaderBytes;
  if (head.directory_bytes > std::min<std::uint64_t>(left, kLargestDirectory) ||
      head.payload_bytes > left - head.directory_bytes) {
    return false;
  }
  if (bytes.size() < tact::kChunkHeaderBytes + head.directory_bytes) {
    bytes.resize(tact::kChunkHeaderBytes + head.directory_bytes);
    if (!file_.read_at(at, bytes.data(), bytes.size(), path_)) return false;
  }
  const std::string_view directory_bytes =
      std::string_view(bytes).substr(tact::kChunkHeaderBytes, head.directory_bytes);
  Directory directory;
  if (!hash_fits(head.directory_hash, hash_bytes(directory_bytes)) ||
      !Directory::from_bytes(directory_bytes, directory)) {
    return false;
  }
  std::uint64_t offset = at + tact::kChunkHeaderBytes + head.directory_bytes;
  const std::uint64_t end = offset + head.payload_bytes;
  for (Segment& segment : directory.segments) {
    if (segment.bytes > end - offset) return false;
    segment.offset = offset;
    offset += segment.bytes;
  }
  for (const Segment& segment : directory.segments) segments_[segment.key].push_back(segment);
  for (const auto& [key, rows] : directory.rows) rows_[key] = rows;
  finished_ |= (head.flags & tact::kFinished) != 0;
  at = end;
  return true;
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

void TactStore::load(const ColumnKey& key, Column& into) const {
  const auto found = segments_.find(key);
  if (found == segments_.end()) return;
  const std::vector<Segment>& segments = found->second;
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
    if (!outcomes[i] && status_) status_ = outcomes[i];
  }
  into.shrink();
}

Status TactStore::read_strings(Run& run) const {
  const auto found =
      segments_.find({.table = tact::kTextTable, .part = 0, .column = tact::kStrings});
  if (found == segments_.end()) return {};
  for (const Segment& segment : found->second) {
    std::string bytes;
    if (Status status = read_bytes(segment, bytes); !status) return status;
    const Result<std::string> text = decompress_text(bytes, kLargestText);
    if (!text) return input_error(damaged(text.error().message, segment.offset));
    std::string_view lengths = *text;
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0; i < segment.rows; ++i) {
      std::uint64_t size = 0;
      if (!take_varint(lengths, size)) {
        return input_error(damaged("strings cannot be unpacked", segment.offset));
      }
      sizes.push_back(size);
    }
    std::uint64_t id = segment.first_row;
    for (const std::uint64_t size : sizes) {
      const std::string_view next = lengths.substr(0, size);
      if (next.size() != size || run.strings.intern(next) != StringId(id++)) {
        return input_error(damaged("strings cannot be unpacked", segment.offset));
      }
      lengths.remove_prefix(size);
    }
  }
  return {};
}

/// Points the Run's columns to their segments and checks that each table is complete.
Status TactStore::attach(Run& run) const {
  const auto rows_of = [&](TableId table, std::uint32_t part) {
    const auto found =
        rows_.find({.table = static_cast<std::uint8_t>(table), .part = part, .column = 0});
    return found == rows_.end() ? 0 : found->second;
  };
  const auto prepare_events = [&](EventTable& events, TableId table, TableId args) {
    events.set_rows(rows_of(table, 0));
    while (events.args().size() < run.shapes.size()) events.args().emplace_back();
    for (std::uint32_t shape = 0; shape < run.shapes.size(); ++shape) {
      events.args()[shape].columns = std::vector<LazyColumn>(run.shapes[shape].size());
      events.args()[shape].rows = rows_of(args, shape);
    }
  };
  prepare_events(run.slices, TableId::kSlices, TableId::kSliceArgs);
  prepare_events(run.instants, TableId::kInstants, TableId::kInstantArgs);
  prepare_events(run.flows, TableId::kFlows, TableId::kFlowArgs);
  run.counters.rows = rows_of(TableId::kCounters, 0);
  run.links.rows = rows_of(TableId::kLinks, 0);
  run.stacks.rows = rows_of(TableId::kStacks, 0);
  run.patterns.rows = rows_of(TableId::kPatterns, 0);

  Status status;
  run.for_each_column([&](const ColumnKey& key, LazyColumn& column) {
    column.load_from(this, key);
    std::uint64_t rows = 0;
    bool in_order = true;
    const auto found = segments_.find(key);
    if (found != segments_.end()) {
      for (const Segment& segment : found->second) {
        in_order &= segment.first_row == rows && segment.rows <= kSegmentRows;
        rows += segment.rows;
      }
    }
    if (!in_order || rows != rows_of(static_cast<TableId>(key.table), key.part)) {
      status = input_error(damaged("rows are missing from a table", size_));
    }
  });
  return status;
}

Status TactStore::open(Run& run) {
  const Result<std::uint64_t> size = file_.size(path_);
  if (!size) return size.error();
  size_ = *size;
  if (Status status = check_header(); !status) return status;
  std::uint64_t at = tact::kHeaderBytes;
  while (at < size_ && take_chunk(at)) {
  }
  if (Status status = read_strings(run); !status) return status;
  const auto facts = segments_.find({.table = tact::kTextTable, .part = 0, .column = tact::kFacts});
  if (facts == segments_.end()) {
    return input_error(damaged("nothing complete was found", at));
  }
  const Segment& last = facts->second.back();
  std::string bytes;
  if (Status status = read_bytes(last, bytes); !status) return status;
  const Result<std::string> json = decompress_text(bytes, kLargestText);
  if (!json || !facts_from_json(*json, run)) {
    return input_error(damaged("the facts cannot be unpacked", last.offset));
  }
  if (Status status = attach(run); !status) return status;
  if (!finished_ || at < size_) {
    run.warnings.push_back(path_ + ": ends early at byte " + std::to_string(at) + " of " +
                           std::to_string(size_) + "; the complete part before it is shown");
    run.dropped["truncated_input"] += 1;
  }
  return {};
}

}  // namespace

Result<Run> open_run(const std::string& path, unsigned threads) {
  Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  return open_run(std::move(*file), path, threads);
}

Result<Run> open_run(File file, const std::string& path, unsigned threads) {
  auto store = std::make_shared<TactStore>(std::move(file), path, threads);
  Run run;
  if (Status status = store->open(run); !status) return status.error();
  run.store = store;
  run.store_status = [store] { return store->status(); };
  return run;
}

}  // namespace tactus
