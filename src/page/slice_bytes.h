#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "page/slice_index.h"

namespace tactus::page {

/// A part of the timeline as a browser asks for it.
struct TileRequest {
  static constexpr std::size_t kMostTracks = 4096;
  static constexpr std::int64_t kMostColumns = 16384;

  std::vector<std::uint32_t> tracks;  ///< places in SliceIndex::tracks; empty: all
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::int64_t columns = 1000;  ///< pixels; slices narrower than one are merged
};

/// The slices of a tile as a column set (track, run, start, dur, name, depth, row, merged).
std::string tile_bytes(const Run& run, const SliceIndex& index, const TileRequest& request);

/// All slices for a page that is a file; a slice's row there is its place among them. Of more than
/// `most`, a stretch in the middle is whole and the rest merged.
struct WholeSlices {
  std::string bytes;
  std::size_t shown = 0;                    ///< entries
  bool is_merged = false;                   ///< some stand for several
  TimeSpan whole;                           ///< where none is merged
  std::vector<std::uint32_t> place_of_row;  ///< by row of run.slices; kNotShown for others
};
inline constexpr std::uint32_t kNotShown = UINT32_MAX;

WholeSlices all_slices(const Run& run, const SliceIndex& index, std::size_t most);

/// Launches: columns from, to, by `to`, at most `most`: rows of run.slices, or their places if
/// these are given.
std::string link_bytes(const Run& run, std::size_t most,
                       std::span<const std::uint32_t> place_of_row = {});

/// Samples: per counter the columns time:ID and value:ID. A counter with more samples than `most`
/// shows the smallest and the largest of each stretch of time.
std::string counter_bytes(const Run& run, std::size_t most);

/// Samples per series of run.series.
std::vector<std::size_t> samples_per_series(const Run& run);

}  // namespace tactus::page
