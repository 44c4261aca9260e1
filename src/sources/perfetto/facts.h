#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "run/builder.h"

namespace tactus::perfetto {

/// What a trace that Tactus wrote says about itself (see views/export/perfetto_tracks.h): the run's
/// tracks and counter series by the uuids of Perfetto's tracks.
struct TactusFacts {
  std::uint64_t first_track = 0;
  std::uint64_t first_series = 0;
  std::vector<TrackId> tracks;
  std::vector<SeriesId> series;

  std::optional<TrackId> track(std::uint64_t uuid) const {
    const std::uint64_t index = (uuid & UINT32_MAX) - first_track;  // the upper half is the lane
    if (index >= tracks.size() || !tracks[index].valid()) return std::nullopt;
    return tracks[index];
  }
  std::optional<SeriesId> counter(std::uint64_t uuid) const {
    const std::uint64_t index = uuid - first_series;
    return index < series.size() ? std::optional(series[index]) : std::nullopt;
  }
};

/// Adds sources, processes, threads, devices, tracks and series to the run; the last source is the
/// current one then. Nothing if the text is damaged: the trace is then read as any other.
std::optional<TactusFacts> add_tactus_facts(std::string_view json, std::string_view path,
                                            RunBuilder& builder);

}  // namespace tactus::perfetto
