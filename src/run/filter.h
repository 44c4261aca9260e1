#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/run.h"

namespace tactus {

/// Which slices a question is about. Fields that are not set do not filter.
struct SliceFilter {
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> from_ns;  ///< slices that start at or after this
  std::optional<std::int64_t> to_ns;    ///< slices that start before this

  bool operator==(const SliceFilter&) const = default;

  /// Whether a slice with this start is wanted, as to time.
  bool takes(std::int64_t start_ns) const {
    return (!from_ns || start_ns >= *from_ns) && (!to_ns || start_ns < *to_ns);
  }
  bool limits_time() const { return from_ns || to_ns; }
  /// The time that is looked at; nothing if all of it is.
  std::optional<TimeSpan> window() const {
    if (!limits_time()) return std::nullopt;
    return TimeSpan{from_ns.value_or(INT64_MIN / 2), to_ns.value_or(INT64_MAX / 2)};
  }
  bool limits_tracks() const { return device || stream || rank || pid; }
  /// The same tracks, whenever their slices start.
  SliceFilter at_any_time() const {
    SliceFilter any_time = *this;
    any_time.from_ns.reset();
    any_time.to_ns.reset();
    return any_time;
  }
};

/// For each track, whether its slices are wanted. Device work belongs to the process of its source.
std::vector<bool> wanted_tracks(const Run& run, const SliceFilter& filter);

/// The host process of each source, if exactly one of its processes runs code.
std::vector<std::optional<std::int64_t>> host_pids(const Run& run);

}  // namespace tactus
