#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/arithmetic.h"
#include "run/event_view.h"
#include "run/run.h"

namespace tactus {

/// Ranges next to each other or nested, each with a value.
template <typename T>
class ValueRanges {
 public:
  void add(std::int64_t start, std::int64_t end, T value) {
    ranges_.push_back({start, end, value, 0});
  }

  void sort() {
    std::stable_sort(ranges_.begin(), ranges_.end(),
                     [](const Range& a, const Range& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < ranges_.size(); ++i) {
      const std::size_t longest = ranges_[i - 1].longest;
      ranges_[i].longest = ranges_[longest].end > ranges_[i].end ? longest : i;
    }
  }

  std::optional<T> at(std::int64_t time) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), time,
                         [](std::int64_t t, const Range& range) { return t < range.start; });
    if (after == ranges_.begin()) return std::nullopt;
    const Range& last = *std::prev(after);
    if (time < last.end) return last.value;
    const Range& around = ranges_[last.longest];
    if (time < around.end) return around.value;
    return std::nullopt;
  }

 private:
  struct Range {
    std::int64_t start = 0;
    std::int64_t end = 0;
    T value{};
    std::size_t longest = 0;  ///< the range that ends last among those up to this one
  };
  std::vector<Range> ranges_;
};

/// The annotations of a run that have a value: on the host by track; on the device by process, as a
/// step may run on several streams.
template <typename T>
struct AnnotatedRanges {
  std::map<std::uint32_t, ValueRanges<T>> host;
  std::map<std::uint32_t, ValueRanges<T>> device;

  bool empty() const { return host.empty() && device.empty(); }

  /// Of something on a host track.
  std::optional<T> on_host(const Run& run, std::uint32_t row) const {
    const auto ranges = host.find(static_cast<std::uint32_t>(run.slices.track()[row]));
    if (ranges == host.end()) return std::nullopt;
    return ranges->second.at(run.slices.start()[row]);
  }
  /// Of something that starts on a device track.
  std::optional<T> on_device(const Run& run, std::uint32_t track, std::int64_t start) const {
    if (device.empty()) return std::nullopt;
    const auto ranges = device.find(process_of(run, track));
    if (ranges == device.end()) return std::nullopt;
    return ranges->second.at(start);
  }

  static std::uint32_t process_of(const Run& run, std::uint32_t track) {
    if (track >= run.tracks.size()) return 0;
    const std::size_t thread = run.tracks[track].thread.value;
    return thread < run.threads.size() ? run.threads[thread].process.value : 0;
  }
};

inline bool is_annotation(SliceKind kind) {
  return kind == SliceKind::kAnnotation || kind == SliceKind::kGpuAnnotation;
}

/// `value_of` takes the StringId value of a slice's name and its kind, one of those wanted, and
/// gives a value or nothing.
template <typename T, typename F>
AnnotatedRanges<T> annotated_ranges(const Run& run, bool (*is_wanted)(SliceKind), F&& value_of) {
  AnnotatedRanges<T> found;
  const EventTable& slices = run.slices;
  for_each_slice(run, Captures::kInclude, is_wanted,
                 std::array{&slices.name(), &slices.track(), &slices.start(), &slices.dur()},
                 [&](std::size_t, SliceKind kind, const auto& values) {
                   const auto [name, track, start, dur] = values;
                   const std::optional<T> value = value_of(static_cast<std::uint32_t>(name), kind);
                   if (!value || static_cast<std::uint64_t>(track) >= run.tracks.size()) return;
                   const auto on_track = static_cast<std::uint32_t>(track);
                   ValueRanges<T>& ranges =
                       kind == SliceKind::kGpuAnnotation
                           ? found.device[AnnotatedRanges<T>::process_of(run, on_track)]
                           : found.host[on_track];
                   ranges.add(start, wrapping_add(start, dur), *value);
                 });
  for (auto& [track, ranges] : found.host) ranges.sort();
  for (auto& [process, ranges] : found.device) ranges.sort();
  return found;
}

}  // namespace tactus
