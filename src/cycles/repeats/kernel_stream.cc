#include "cycles/repeats/kernel_stream.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tactus {
namespace {

using Values = std::span<const std::int64_t>;
using Block = std::array<std::int64_t, Column::kBlockRows>;

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::uint32_t from : order) sorted.push_back(values[from]);
  values = std::move(sorted);
}

/// Sources write kernels as their buffers come back, not always in the order they ran.
void sort_by_start(KernelStream& stream) {
  if (std::is_sorted(stream.starts.begin(), stream.starts.end())) return;
  std::vector<std::uint32_t> order(stream.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return stream.starts[a] < stream.starts[b];
  });
  reorder(stream.rows, order);
  reorder(stream.names, order);
  reorder(stream.starts, order);
  reorder(stream.durs, order);
}

/// Which tracks are wanted; all of them if the filter does not say.
std::vector<bool> tracks_of(const Run& run, const SliceFilter& filter) {
  if (filter.limits_tracks()) return wanted_tracks(run, filter);
  return std::vector<bool>(run.tracks.size(), true);
}

/// The number of kernels of each track, so that columns need not grow.
std::vector<std::size_t> kernels_of_tracks(const Run& run, const std::vector<bool>& is_kernel) {
  std::vector<std::size_t> kernels(run.tracks.size(), 0);
  Block tracks;
  run.slices.category().for_each_piece(0, run.own_slices(), [&](std::size_t first, Values piece) {
    run.slices.track().read(first, std::span(tracks).first(piece.size()));
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const auto category = static_cast<std::size_t>(piece[i]);
      const auto track = static_cast<std::size_t>(tracks[i]);
      if (category >= is_kernel.size() || !is_kernel[category] || track >= kernels.size()) continue;
      ++kernels[track];
    }
  });
  return kernels;
}

}  // namespace

std::vector<KernelStream> kernel_streams(const Run& run, const SliceFilter& filter) {
  const std::vector<bool> is_wanted = tracks_of(run, filter);
  std::vector<bool> is_kernel;
  for (const Category& category : run.categories) {
    is_kernel.push_back(category.kind == SliceKind::kKernel);
  }
  std::vector<KernelStream> by_track(run.tracks.size());
  const std::vector<std::size_t> sizes = kernels_of_tracks(run, is_kernel);
  for (std::size_t track = 0; track < by_track.size(); ++track) {
    if (!is_wanted[track]) continue;
    by_track[track].rows.reserve(sizes[track]);
    by_track[track].names.reserve(sizes[track]);
    by_track[track].starts.reserve(sizes[track]);
    by_track[track].durs.reserve(sizes[track]);
  }
  Block names, durs, starts, tracks;
  run.slices.category().for_each_piece(0, run.own_slices(), [&](std::size_t first, Values piece) {
    const std::size_t count = piece.size();
    run.slices.name().read(first, std::span(names).first(count));
    run.slices.dur().read(first, std::span(durs).first(count));
    run.slices.start().read(first, std::span(starts).first(count));
    run.slices.track().read(first, std::span(tracks).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const auto category = static_cast<std::size_t>(piece[i]);
      const auto track = static_cast<std::size_t>(tracks[i]);
      if (category >= is_kernel.size() || !is_kernel[category]) continue;
      if (track >= is_wanted.size() || !is_wanted[track]) continue;
      if (static_cast<std::size_t>(names[i]) >= run.strings.size()) continue;  // a damaged file
      if (filter.from_ns && starts[i] < *filter.from_ns) continue;
      if (filter.to_ns && starts[i] >= *filter.to_ns) continue;
      KernelStream& stream = by_track[track];
      stream.rows.push_back(static_cast<std::uint32_t>(first + i));
      stream.names.push_back(static_cast<std::uint32_t>(names[i]));
      stream.starts.push_back(starts[i]);
      stream.durs.push_back(durs[i]);
    }
  });

  std::vector<KernelStream> streams;
  for (std::size_t track = 0; track < by_track.size(); ++track) {
    if (by_track[track].rows.empty()) continue;
    by_track[track].track = static_cast<std::uint32_t>(track);
    sort_by_start(by_track[track]);
    streams.push_back(std::move(by_track[track]));
  }
  std::stable_sort(
      streams.begin(), streams.end(),
      [](const KernelStream& a, const KernelStream& b) { return a.size() > b.size(); });
  return streams;
}

}  // namespace tactus
