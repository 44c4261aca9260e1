#include "cycles/repeats/kernel_stream.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "run/event_view.h"

namespace tactus {
namespace {

bool is_kernel(SliceKind kind) {
  return kind == SliceKind::kKernel;
}

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
  // NOLINTNEXTLINE(modernize-return-braced-init-list): with braces it would be a list of two
  return std::vector<bool>(run.tracks.size(), true);
}

/// How many kernels each track has, so that columns of many are filled without being moved.
std::vector<std::size_t> kernels_of_tracks(const Run& run) {
  std::vector<std::size_t> kernels(run.tracks.size(), 0);
  for_each_slice(run, Captures::kLeaveOut, is_kernel, std::array{&run.slices.track()},
                 [&](std::size_t, SliceKind, const auto& values) {
                   const auto track = static_cast<std::size_t>(values[0]);
                   if (track < kernels.size()) ++kernels[track];
                 });
  return kernels;
}

}  // namespace

std::vector<KernelStream> kernel_streams(const Run& run, const SliceFilter& filter) {
  const std::vector<bool> is_wanted = tracks_of(run, filter);
  std::vector<KernelStream> by_track(run.tracks.size());
  const std::vector<std::size_t> sizes = kernels_of_tracks(run);
  for (std::size_t track = 0; track < by_track.size(); ++track) {
    if (!is_wanted[track]) continue;
    by_track[track].rows.reserve(sizes[track]);
    by_track[track].names.reserve(sizes[track]);
    by_track[track].starts.reserve(sizes[track]);
    by_track[track].durs.reserve(sizes[track]);
  }
  const EventTable& slices = run.slices;
  for_each_slice(run, Captures::kLeaveOut, is_kernel,
                 std::array{&slices.name(), &slices.dur(), &slices.start(), &slices.track()},
                 [&](std::size_t row, SliceKind, const auto& values) {
                   const auto [name, dur, start, on_track] = values;
                   const auto track = static_cast<std::size_t>(on_track);
                   if (track >= is_wanted.size() || !is_wanted[track]) return;
                   if (static_cast<std::size_t>(name) >= run.strings.size())
                     return;  // a damaged file
                   if (!filter.takes(start)) return;
                   KernelStream& stream = by_track[track];
                   stream.rows.push_back(static_cast<std::uint32_t>(row));
                   stream.names.push_back(static_cast<std::uint32_t>(name));
                   stream.starts.push_back(start);
                   stream.durs.push_back(dur);
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
