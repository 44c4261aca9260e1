#include "page/slice_bytes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/arithmetic.h"
#include "page/column_set.h"

namespace tactus::page {
namespace {

struct TrackSlices {
  std::size_t track = 0;
  std::vector<ShownSlice> slices;
};

/// From what is known of a slice's start before it is read: the start of the slice around it, if it
/// is the first in it; else the end of the slice before it in its lane.
std::vector<std::int64_t> gaps(const std::vector<TrackSlices>& tracks) {
  std::vector<std::int64_t> found;
  for (const TrackSlices& track : tracks) {
    std::array<std::int64_t, 256> ends{};
    int depth = -1;
    std::int64_t start = 0;
    for (const ShownSlice& slice : track.slices) {
      found.push_back(
          wrapping_subtract(slice.start_ns, slice.depth > depth ? start : ends[slice.depth]));
      depth = slice.depth;
      start = slice.start_ns;
      ends[slice.depth] = wrapping_add(start, std::max<std::int64_t>(slice.dur_ns, 0));
    }
  }
  return found;
}

/// The places of all slices, by name: what slices of one name have in common packs better.
std::vector<std::uint32_t> places_by_name(const std::vector<std::uint32_t>& names) {
  std::vector<std::uint32_t> places(names.size());
  std::iota(places.begin(), places.end(), 0U);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
  return places;
}

void add_times_by_name(const Run& run, const SliceIndex& index,
                       const std::vector<TrackSlices>& tracks, ColumnSet& columns) {
  std::vector<std::uint32_t> names;
  std::vector<std::int64_t> durs;
  for (const TrackSlices& track : tracks) {
    for (const ShownSlice& slice : track.slices) {
      names.push_back(index.place_of_name(run.slices.name()[slice.row]));
      durs.push_back(std::max<std::int64_t>(slice.dur_ns, 0));
    }
  }
  const std::vector<std::int64_t> starts = gaps(tracks);
  const std::vector<std::uint32_t> order = places_by_name(names);
  columns.begin("gap", ColumnSet::Type::kZigzagPlanes);
  for (const std::uint32_t place : order) columns.add(starts[place]);
  columns.end();
  columns.begin("dur", ColumnSet::Type::kPlanes);
  for (const std::uint32_t place : order) columns.add(durs[place]);
  columns.end();
}

/// `whole`: the slices of a page that is a file, which has to be small. Then a row is a place in
/// it, and the columns of times are in the order of places_by_name, with gaps instead of starts.
std::string to_bytes(const Run& run, const SliceIndex& index,
                     const std::vector<TrackSlices>& tracks, bool whole) {
  using Type = ColumnSet::Type;
  ColumnSet columns;
  const auto add = [&](std::string_view name, Type type, const auto& value) {
    columns.begin(name, type);
    for (const TrackSlices& track : tracks) {
      for (const ShownSlice& slice : track.slices) {
        columns.add(static_cast<std::int64_t>(value(slice)));
      }
    }
    columns.end();
  };
  columns.begin("track", Type::kVarint);
  for (const TrackSlices& track : tracks) columns.add(static_cast<std::int64_t>(track.track));
  columns.end();
  columns.begin("run", Type::kVarint);
  for (const TrackSlices& track : tracks) {
    columns.add(static_cast<std::int64_t>(track.slices.size()));
  }
  columns.end();
  bool merged = false;
  for (const TrackSlices& track : tracks) {
    for (const ShownSlice& slice : track.slices) merged = merged || slice.merged != 1;
  }
  add("name", Type::kVarint,
      [&](const ShownSlice& s) { return index.place_of_name(run.slices.name()[s.row]); });
  add("depth", Type::kByte, [](const ShownSlice& s) { return s.depth; });
  if (whole) {
    add_times_by_name(run, index, tracks, columns);
  } else {
    add("start", Type::kDeltaPlanes, [](const ShownSlice& s) { return s.start_ns; });
    add("dur", Type::kPlanes,
        [](const ShownSlice& s) { return std::max<std::int64_t>(s.dur_ns, 0); });
    add("row", Type::kDelta, [](const ShownSlice& s) { return s.row; });
  }
  if (merged) add("merged", Type::kVarint, [](const ShownSlice& s) { return s.merged; });
  return std::move(columns).take();
}

constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;

}  // namespace

std::string tile_bytes(const Run& run, const SliceIndex& index, const TileRequest& request) {
  std::vector<std::uint32_t> asked = request.tracks;
  if (asked.empty()) {
    asked.resize(index.tracks().size());
    std::iota(asked.begin(), asked.end(), 0U);
  }
  const std::int64_t columns = std::clamp<std::int64_t>(request.columns, 1, request.kMostColumns);
  const std::int64_t width = (request.to_ns - request.from_ns) / columns;
  std::vector<TrackSlices> tracks;
  for (const std::uint32_t place : asked) {
    if (place >= index.tracks().size()) continue;
    TrackSlices& track = tracks.emplace_back(TrackSlices{place, {}});
    index.collect(index.tracks()[place], request.from_ns, request.to_ns, width, false,
                  track.slices);
  }
  return to_bytes(run, index, tracks, false);
}

WholeSlices all_slices(const Run& run, const SliceIndex& index, std::size_t most) {
  WholeSlices all;
  const TimeSpan span = run.span().value_or(TimeSpan());
  all.whole = span;
  all.is_merged = index.size() > most;
  const std::int64_t length = std::max<std::int64_t>(span.end_ns - span.begin_ns, 1);
  std::int64_t width = 0;
  if (all.is_merged) {
    // Half of the room for the middle in full, half for the rest.
    const double share = static_cast<double>(most) / 2 / static_cast<double>(index.size());
    const auto half = static_cast<std::int64_t>(static_cast<double>(length) * share / 2);
    const std::int64_t middle = span.begin_ns + length / 2;
    all.whole = {middle - half, middle + half};
    std::size_t lanes = 0;
    for (const IndexedTrack& track : index.tracks()) lanes += track.lanes.size();
    width = length * static_cast<std::int64_t>(4 * std::max<std::size_t>(lanes, 1)) /
            static_cast<std::int64_t>(most);
  }
  std::vector<TrackSlices> tracks;
  for (std::size_t i = 0; i < index.tracks().size(); ++i) {
    TrackSlices& shown = tracks.emplace_back(TrackSlices{i, {}});
    const IndexedTrack& track = index.tracks()[i];
    if (all.is_merged) {
      index.collect(track, -kEver, all.whole.begin_ns, width, true, shown.slices);
      index.collect(track, all.whole.begin_ns, all.whole.end_ns, 0, true, shown.slices);
      index.collect(track, all.whole.end_ns, kEver, width, true, shown.slices);
    } else {
      index.collect(track, -kEver, kEver, 0, true, shown.slices);
    }
    all.shown += shown.slices.size();
  }
  all.bytes = to_bytes(run, index, tracks, true);
  all.place_of_row.assign(run.slices.size(), kNotShown);
  std::uint32_t place = 0;
  for (const TrackSlices& track : tracks) {
    for (const ShownSlice& slice : track.slices) all.place_of_row[slice.row] = place++;
  }
  return all;
}

std::string link_bytes(const Run& run, std::size_t most,
                       std::span<const std::uint32_t> place_of_row) {
  std::vector<std::pair<std::int64_t, std::int64_t>> links;  // to, from
  const auto shown = [&](std::int64_t row) -> std::int64_t {
    if (place_of_row.empty()) return row;
    const std::uint32_t place = place_of_row[static_cast<std::size_t>(row)];
    return place == kNotShown ? -1 : std::int64_t{place};
  };
  for (std::size_t i = 0; i < run.links.rows && links.size() < most; ++i) {
    if (run.links.kind()[i] != static_cast<std::int64_t>(LinkKind::kLaunch)) continue;
    const std::int64_t to = run.links.to()[i];
    const std::int64_t from = run.links.from()[i];
    const auto rows = static_cast<std::uint64_t>(run.slices.size());
    if (static_cast<std::uint64_t>(to) >= rows || static_cast<std::uint64_t>(from) >= rows ||
        run.is_captured(run.slices.category()[static_cast<std::size_t>(to)])) {
      continue;
    }
    if (shown(to) >= 0 && shown(from) >= 0) links.emplace_back(shown(to), shown(from));
  }
  std::sort(links.begin(), links.end());
  ColumnSet columns;
  columns.begin("from", ColumnSet::Type::kDelta);
  for (const auto& link : links) columns.add(link.second);
  columns.end();
  columns.begin("to", ColumnSet::Type::kDelta);
  for (const auto& link : links) columns.add(link.first);
  columns.end();
  return std::move(columns).take();
}

std::vector<std::size_t> samples_per_series(const Run& run) {
  std::vector<std::size_t> counts(run.series.size(), 0);
  run.counters.series().for_each_piece(0, run.counters.rows,
                                       [&](std::size_t, std::span<const std::int64_t> series) {
                                         for (const std::int64_t id : series) {
                                           if (static_cast<std::uint64_t>(id) < counts.size())
                                             ++counts[static_cast<std::size_t>(id)];
                                         }
                                       });
  return counts;
}

namespace {

struct Sample {
  std::int64_t time_ns = 0;
  double value = 0;
};

/// The smallest and the largest of each stretch of as many samples.
std::vector<Sample> thinned(const std::vector<Sample>& samples, std::size_t most) {
  if (samples.size() <= most) return samples;
  const std::size_t step = 2 * ((samples.size() + most - 1) / most);
  std::vector<Sample> kept;
  for (std::size_t at = 0; at < samples.size(); at += step) {
    const auto first = samples.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last =
        samples.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, samples.size()));
    auto [low, high] = std::minmax_element(
        first, last, [](const Sample& a, const Sample& b) { return a.value < b.value; });
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (high != low) kept.push_back(*high);
  }
  return kept;
}

}  // namespace

std::string counter_bytes(const Run& run, std::size_t most) {
  std::vector<std::vector<Sample>> samples(run.series.size());
  for (std::size_t i = 0; i < run.counters.rows; ++i) {
    const auto id = static_cast<std::size_t>(run.counters.series()[i]);
    if (id >= samples.size()) continue;
    samples[id].push_back(
        {run.counters.time()[i], Decimal::to_double(run.counters.value()[i], run.strings)});
  }
  ColumnSet columns;
  for (std::size_t id = 0; id < samples.size(); ++id) {
    std::vector<Sample>& series = samples[id];
    if (series.empty()) continue;
    std::stable_sort(series.begin(), series.end(),
                     [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
    const std::vector<Sample> kept = thinned(series, most);
    columns.begin("time:" + std::to_string(id), ColumnSet::Type::kDelta);
    for (const Sample& sample : kept) columns.add(sample.time_ns);
    columns.end();
    columns.begin("value:" + std::to_string(id), ColumnSet::Type::kDouble);
    for (const Sample& sample : kept) columns.add_double(sample.value);
    columns.end();
  }
  return std::move(columns).take();
}

}  // namespace tactus::page
