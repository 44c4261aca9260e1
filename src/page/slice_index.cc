#include "page/slice_index.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include "base/parallel.h"

namespace tactus::page {
namespace {

constexpr std::size_t kLeastForLevels = 2048;  // slices of a lane
constexpr std::size_t kEnough = 512;           // slices of the coarsest level
constexpr std::int64_t kWider = 4;             // from level to level

std::int64_t end_of(const ShownSlice& slice) {
  return slice.start_ns + std::max<std::int64_t>(slice.dur_ns, 0);
}

/// Merges slices of one lane, given by start.
class Merger {
 public:
  Merger(std::int64_t width_ns, std::vector<ShownSlice>& into) : width_ns_(width_ns), into_(into) {}
  ~Merger() { flush(); }
  Merger(const Merger&) = delete;
  Merger& operator=(const Merger&) = delete;

  void add(const ShownSlice& slice) {
    if (open_ && slice.dur_ns < width_ns_ && end_of(slice) - last_.start_ns <= width_ns_) {
      if (slice.dur_ns > longest_ns_) {
        longest_ns_ = slice.dur_ns;
        last_.row = slice.row;
      }
      last_.dur_ns = std::max(end_of(last_), end_of(slice)) - last_.start_ns;
      last_.merged += slice.merged;
      return;
    }
    flush();
    if (slice.dur_ns >= width_ns_) {
      into_.push_back(slice);
      return;
    }
    open_ = true;
    last_ = slice;
    longest_ns_ = slice.dur_ns;
  }

 private:
  void flush() {
    if (open_) into_.push_back(last_);
    open_ = false;
  }

  std::int64_t width_ns_;
  std::vector<ShownSlice>& into_;
  ShownSlice last_;
  std::int64_t longest_ns_ = 0;
  bool open_ = false;
};

}  // namespace

SliceIndex::SliceIndex(const Run& run, unsigned threads, bool with_levels, Progress& progress)
    : run_(run) {
  sort_tracks(threads, with_levels, progress);
  count_names();
}

ShownSlice SliceIndex::slice_at(std::uint32_t row, std::uint8_t depth) const {
  return {.start_ns = run_.slices.start()[row],
          .dur_ns = run_.slices.dur()[row],
          .row = row,
          .depth = depth};
}

void SliceIndex::sort_tracks(unsigned threads, bool with_levels, Progress& progress) {
  std::vector<std::vector<std::uint32_t>> rows(run_.tracks.size());
  std::vector<std::int64_t> categories(Column::kBlockRows);
  run_.slices.track().for_each_piece(
      0, run_.slices.size(), [&](std::size_t first, std::span<const std::int64_t> tracks) {
        run_.slices.category().read(first, std::span(categories).first(tracks.size()));
        for (std::size_t i = 0; i < tracks.size(); ++i) {
          const auto track = static_cast<std::size_t>(tracks[i]);
          if (track >= rows.size() || run_.is_captured(categories[i])) continue;
          rows[track].push_back(static_cast<std::uint32_t>(first + i));
        }
      });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].empty()) continue;
    tracks_.push_back(
        {.track = static_cast<std::uint32_t>(i), .count = rows[i].size(), .lanes = {}});
    size_ += rows[i].size();
  }
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(threads, tracks_.size(), [&](std::size_t i, unsigned) {
    IndexedTrack& track = tracks_[i];
    fill(track, std::move(rows[track.track]));
    if (with_levels) {
      for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
        add_levels(track.lanes[depth], static_cast<std::uint8_t>(depth));
      }
    }
    const std::lock_guard lock(mutex);
    done += track.count;
    progress.update("index the timeline", done, size_);
  });
}

void SliceIndex::fill(IndexedTrack& track, std::vector<std::uint32_t> rows) const {
  std::vector<ShownSlice> slices;
  slices.reserve(rows.size());
  for (const std::uint32_t row : rows) slices.push_back(slice_at(row, 0));
  rows = {};
  const auto before = [](const ShownSlice& a, const ShownSlice& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    return a.dur_ns != b.dur_ns ? a.dur_ns > b.dur_ns : a.row < b.row;
  };
  if (!std::is_sorted(slices.begin(), slices.end(), before)) {
    std::sort(slices.begin(), slices.end(), before);
  }
  std::vector<std::int64_t> free_at;
  for (const ShownSlice& slice : slices) {
    const auto lane = static_cast<std::size_t>(
        std::find_if(free_at.begin(), free_at.end(),
                     [&](std::int64_t end) { return end <= slice.start_ns; }) -
        free_at.begin());
    if (lane == free_at.size() && lane < kMostLanes) {
      free_at.push_back(0);
      track.lanes.emplace_back();
    }
    const std::size_t place = std::min(lane, kMostLanes - 1);
    // What lasts no time still takes its place: a slice inside it must not hide it.
    free_at[place] = std::max(end_of(slice), slice.start_ns + (slice.dur_ns == 0 ? 1 : 0));
    track.lanes[place].rows.push_back(slice.row);
  }
}

void SliceIndex::add_levels(Lane& lane, std::uint8_t depth) const {
  if (lane.rows.size() < kLeastForLevels) return;
  const ShownSlice first = slice_at(lane.rows.front(), depth);
  const ShownSlice last = slice_at(lane.rows.back(), depth);
  const std::int64_t span = std::max<std::int64_t>(end_of(last) - first.start_ns, 1);
  std::int64_t width =
      std::max<std::int64_t>(2 * kWider * (span / static_cast<std::int64_t>(lane.rows.size())), 1);
  while (true) {
    Lane::Level level{.width_ns = width, .slices = {}};
    {
      Merger merger(width, level.slices);
      if (lane.levels.empty()) {
        for (const std::uint32_t row : lane.rows) merger.add(slice_at(row, depth));
      } else {
        for (const ShownSlice& slice : lane.levels.back().slices) merger.add(slice);
      }
    }
    level.slices.shrink_to_fit();
    const std::size_t size = level.slices.size();
    const std::size_t before =
        lane.levels.empty() ? lane.rows.size() : lane.levels.back().slices.size();
    if (size <= before / 2) lane.levels.push_back(std::move(level));
    if (size < kEnough || width >= span) return;
    width *= kWider;
  }
}

void SliceIndex::collect_lane(const Lane& lane, std::uint8_t depth, std::int64_t from_ns,
                              std::int64_t to_ns, std::int64_t width_ns, bool starting,
                              std::vector<ShownSlice>& into) const {
  const Lane::Level* level = nullptr;
  // A merged slice may reach over the edges, so exact edges need the slices themselves.
  for (const Lane::Level& next : lane.levels) {
    if (!starting && next.width_ns <= width_ns) level = &next;
  }
  const std::size_t size = level != nullptr ? level->slices.size() : lane.rows.size();
  const auto at = [&](std::size_t i) {
    return level != nullptr ? level->slices[i] : slice_at(lane.rows[i], depth);
  };
  std::size_t low = 0, high = size;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    (at(middle).start_ns < from_ns ? low : high) = middle + (at(middle).start_ns < from_ns ? 1 : 0);
  }
  if (!starting && low > 0 && end_of(at(low - 1)) > from_ns) --low;
  Merger merger(width_ns, into);
  for (; low < size; ++low) {
    const ShownSlice slice = at(low);
    if (slice.start_ns >= to_ns) return;
    merger.add(slice);
  }
}

void SliceIndex::collect(const IndexedTrack& track, std::int64_t from_ns, std::int64_t to_ns,
                         std::int64_t width_ns, bool starting,
                         std::vector<ShownSlice>& into) const {
  const std::size_t first = into.size();
  for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
    collect_lane(track.lanes[depth], static_cast<std::uint8_t>(depth), from_ns, to_ns, width_ns,
                 starting, into);
  }
  std::sort(into.begin() + static_cast<std::ptrdiff_t>(first), into.end(),
            [](const ShownSlice& a, const ShownSlice& b) {
              return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.depth < b.depth;
            });
}

void SliceIndex::count_names() {
  std::vector<std::size_t> counts(run_.strings.size(), 0);
  std::vector<std::int64_t> categories(Column::kBlockRows);
  run_.slices.name().for_each_piece(
      0, run_.slices.size(), [&](std::size_t first, std::span<const std::int64_t> names) {
        run_.slices.category().read(first, std::span(categories).first(names.size()));
        for (std::size_t i = 0; i < names.size(); ++i) {
          const auto name = static_cast<std::size_t>(names[i]);
          if (run_.is_captured(categories[i])) continue;
          ++counts[name < counts.size() ? name : 0];
        }
      });
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) names_.push_back(static_cast<std::uint32_t>(i));
  }
  std::stable_sort(names_.begin(), names_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return counts[a] > counts[b]; });
  place_of_name_.assign(counts.size(), 0);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    place_of_name_[names_[i]] = static_cast<std::uint32_t>(i);
    name_counts_.push_back(counts[names_[i]]);
  }
}

}  // namespace tactus::page
