#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "run/run.h"

namespace tactus::page {

/// A slice, or several short ones of one lane that are shown as one.
struct ShownSlice {
  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;
  std::uint32_t row = 0;     ///< of run.slices; of several, the longest
  std::uint32_t merged = 1;  ///< how many it stands for
  std::uint8_t depth = 0;
};

/// Slices of one track that do not overlap, by start; with levels of detail: on each level, slices
/// shorter than its width are merged, as long as they stay within it.
struct Lane {
  struct Level {
    std::int64_t width_ns = 0;
    std::vector<ShownSlice> slices;
  };
  std::vector<std::uint32_t> rows;  ///< of run.slices
  std::vector<Level> levels;        ///< by ascending width
};

/// The slices of a track in lanes: a slice is in the lowest one that is free when it starts, so a
/// lane is the depth of nesting where slices nest.
struct IndexedTrack {
  std::uint32_t track = 0;  ///< of run.tracks
  std::size_t count = 0;
  std::vector<Lane> lanes;
};

/// Finds the slices of a stretch of time fast.
class SliceIndex {
 public:
  static constexpr std::size_t kMostLanes = 250;

  /// `with_levels`: for a run that is looked at piece by piece.
  SliceIndex(const Run& run, unsigned threads, bool with_levels, Progress& progress);

  const std::vector<IndexedTrack>& tracks() const { return tracks_; }
  std::size_t size() const { return size_; }

  /// Names of the slices (StringId values), the most frequent first, and their place by StringId.
  const std::vector<std::uint32_t>& names() const { return names_; }
  const std::vector<std::size_t>& name_counts() const { return name_counts_; }  ///< by place
  std::uint32_t place_of_name(std::int64_t name) const {
    const auto index = static_cast<std::size_t>(name);
    return index < place_of_name_.size() ? place_of_name_[index] : 0;
  }

  /// Appends the slices of a track that overlap [from, to), by start; those shorter than `width_ns`
  /// are merged. `starting` takes exactly those that start there.
  void collect(const IndexedTrack& track, std::int64_t from_ns, std::int64_t to_ns,
               std::int64_t width_ns, bool starting, std::vector<ShownSlice>& into) const;

 private:
  void sort_tracks(unsigned threads, bool with_levels, Progress& progress);
  void fill(IndexedTrack& track, std::vector<std::uint32_t> rows) const;
  void add_levels(Lane& lane, std::uint8_t depth) const;
  void collect_lane(const Lane& lane, std::uint8_t depth, std::int64_t from_ns, std::int64_t to_ns,
                    std::int64_t width_ns, bool starting, std::vector<ShownSlice>& into) const;
  ShownSlice slice_at(std::uint32_t row, std::uint8_t depth) const;
  void count_names();

  const Run& run_;
  std::vector<IndexedTrack> tracks_;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> names_;
  std::vector<std::size_t> name_counts_;
  std::vector<std::uint32_t> place_of_name_;
};

}  // namespace tactus::page
