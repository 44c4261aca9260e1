// Opening a part of a file: which chunks belong to a window of time.
#include <algorithm>

#include "base/arithmetic.h"
#include "run/tact/segment.h"
#include "run/tact/tact_store.h"

namespace tactus {
namespace {

using tact::Segment;

bool overlaps(const tact::ChunkSummary& summary, const TimeSpan& window) {
  return summary.time && summary.time->second >= window.begin_ns &&
         summary.time->first < window.end_ns;
}

/// A window in the time of the sources: as wide as all their clocks need.
TimeSpan in_source_time(const TimeSpan& window, const Run& run) {
  TimeSpan wide = window;
  for (const Source& source : run.sources) {
    const Clock& clock = source.clock;
    if (!clock.changes_times()) continue;
    const std::int64_t from = wrapping_subtract(clock.to_run(window.begin_ns), window.begin_ns);
    const std::int64_t to = wrapping_subtract(clock.to_run(window.end_ns), window.end_ns);
    wide.begin_ns = std::min(wide.begin_ns, wrapping_subtract(window.begin_ns, std::max(from, to)));
    wide.end_ns = std::max(wide.end_ns, wrapping_subtract(window.end_ns, std::min(from, to)));
  }
  return wide;
}

}  // namespace

/// The earliest start of a call outside of the taken chunks that launched something in them.
Result<std::int64_t> TactStore::first_launch(std::vector<Chunk>& chunks,
                                             const std::vector<bool>& is_taken) {
  std::vector<std::pair<std::uint64_t, std::size_t>> by_row;  // first slice and number of a chunk
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto& summary = chunks[i].directory.summary;
    if (summary && summary->slices != 0) by_row.emplace_back(summary->first_slice, i);
  }
  if (by_row.empty()) return std::int64_t{INT64_MAX};
  const auto end_of = [&](std::size_t i) {
    return i + 1 < by_row.size() ? by_row[i + 1].first : UINT64_MAX;
  };
  std::size_t near = 0;
  std::vector<std::vector<std::uint64_t>> wanted(chunks.size());  // rows in each chunk
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (!is_taken[i]) continue;
    const Result<Column> from = read_column(chunks[i], TableId::kLinks, Links::kFrom);
    if (!from) return from.error();
    for (std::size_t row = 0; row < from->size(); ++row) {
      const auto slice = static_cast<std::uint64_t>((*from)[row]);
      // Neighbours were mostly launched from one chunk.
      if (slice < by_row[near].first || slice >= end_of(near)) {
        const auto after =
            std::upper_bound(by_row.begin(), by_row.end(), std::pair(slice, SIZE_MAX));
        if (after == by_row.begin()) continue;
        near = static_cast<std::size_t>(after - by_row.begin()) - 1;
      }
      const auto& [first_row, chunk] = by_row[near];
      if (!is_taken[chunk]) wanted[chunk].push_back(slice - first_row);
    }
  }
  std::int64_t first = INT64_MAX;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (wanted[i].empty()) continue;
    if (chunks[i].end == 0 && !read_chunk(chunks[i].offset, chunks[i])) continue;
    const Result<Column> start = read_column(chunks[i], TableId::kSlices, EventTable::kStart);
    if (!start) return start.error();
    for (const std::uint64_t row : wanted[i]) {
      if (row < start->size()) first = std::min(first, (*start)[row]);
    }
  }
  return first;
}

Status TactStore::take_window(std::vector<Chunk> chunks, const TimeSpan& window, Run& run) {
  TimeSpan wide = in_source_time(window, run);
  std::vector<bool> is_taken(chunks.size(), false);
  const auto take_overlapping = [&]() -> Status {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (is_taken[i]) continue;
      const auto& summary = chunks[i].directory.summary;
      if (summary && !summary->has_timeless_rows && !overlaps(*summary, wide)) continue;
      if (chunks[i].end == 0 && !read_chunk(chunks[i].offset, chunks[i])) {
        return input_error(damaged("a chunk cannot be read", chunks[i].offset));
      }
      is_taken[i] = true;
    }
    return {};
  };
  if (Status status = take_overlapping(); !status) return status;
  // Work may have been launched long before it ran; its calls and what surrounds them belong to it.
  const Result<std::int64_t> first = first_launch(chunks, is_taken);
  if (!first) return first.error();
  if (*first < wide.begin_ns) {
    wide.begin_ns = *first;
    if (Status status = take_overlapping(); !status) return status;
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (is_taken[i]) take_rows(chunks[i]);
  }
  for (const auto& [key, segments] : segments_) {
    if (key.column != 0) continue;
    for (const Segment& segment : segments) rows_[key] += segment.rows;
  }
  return take_links(chunks, is_taken, run);
}

/// Reads the links between slices that were taken, with their rows as they count now.
Status TactStore::take_links(const std::vector<Chunk>& chunks, const std::vector<bool>& is_taken,
                             Run& run) {
  struct Stretch {
    std::uint64_t first = 0;
    std::uint64_t rows = 0;
    std::uint64_t now = 0;
  };
  std::vector<Stretch> stretches;
  std::uint64_t now = 0;
  for (const Segment& segment : segments_[table_key(TableId::kSlices)]) {
    stretches.push_back({segment.first_row, segment.rows, now});
    now += segment.rows;
  }
  std::size_t near = 0;  // neighbours are mostly in one stretch
  const auto place_now = [&](std::int64_t row) -> std::optional<std::int64_t> {
    const auto wanted = static_cast<std::uint64_t>(row);
    if (near < stretches.size() && wanted >= stretches[near].first &&
        wanted - stretches[near].first < stretches[near].rows) {
      return static_cast<std::int64_t>(wanted - stretches[near].first + stretches[near].now);
    }
    const auto after = std::upper_bound(
        stretches.begin(), stretches.end(), wanted,
        [](std::uint64_t value, const Stretch& stretch) { return value < stretch.first; });
    if (after == stretches.begin()) return std::nullopt;
    const Stretch& stretch = *std::prev(after);
    near = static_cast<std::size_t>(&stretch - stretches.data());
    if (wanted - stretch.first >= stretch.rows) return std::nullopt;
    return static_cast<std::int64_t>(wanted - stretch.first + stretch.now);
  };
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (!is_taken[i]) continue;
    std::array<Column, 3> columns;
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
      Result<Column> column = read_column(chunks[i], TableId::kLinks, c);
      if (!column) return column.error();
      columns[c] = std::move(*column);
      if (columns[c].size() != columns[0].size()) {
        return input_error(damaged("rows are missing from a table", chunks[i].offset));
      }
    }
    for (std::size_t row = 0; row < columns[0].size(); ++row) {
      const auto from = place_now(columns[Links::kFrom][row]);
      const auto to = place_now(columns[Links::kTo][row]);
      if (from && to) run.links.append({columns[Links::kKind][row], *from, *to});
    }
  }
  for (std::uint32_t c = 0; c < 3; ++c) {
    segments_.erase({.table = static_cast<std::uint8_t>(TableId::kLinks), .part = 0, .column = c});
  }
  rows_.erase(table_key(TableId::kLinks));
  return {};
}

}  // namespace tactus
