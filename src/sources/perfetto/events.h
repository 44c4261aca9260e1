#pragma once

#include <cstdint>
#include <vector>

#include "run/builder.h"
#include "sources/perfetto/annotations.h"
#include "sources/perfetto/sequence.h"
#include "sources/perfetto/tracks.h"

namespace tactus::perfetto {

/// Puts track events into the run. Slices are appended where they begin; their ends are looked for
/// when all events are known, because those of a track need not be in the order of time.
class TrackEvents {
 public:
  TrackEvents(RunBuilder& builder, TrackTable& tracks)
      : builder_(builder), tracks_(tracks), annotations_(builder) {}

  /// Call it when the source has begun.
  void begin();
  void add(std::string_view track_event, std::int64_t time_ns, const Sequence& sequence);
  /// Finds the ends of slices, the tracks of everything, and links.
  void finish();

 private:
  struct Parts;

  /// A begin or an end on a track.
  struct Edge {
    static constexpr std::uint32_t kEnd = UINT32_MAX;

    std::int64_t time_ns = 0;
    std::uint32_t slice = kEnd;  ///< its row among the slices of this source
    std::uint32_t order = 0;     ///< in the file
  };

  /// One end of an arrow.
  struct FlowEnd {
    std::uint64_t id = 0;
    std::int64_t time_ns = 0;
    std::uint32_t slice = 0;
    bool is_target = false;
  };

  Parts read(std::string_view track_event, const Sequence& sequence);
  void add_slice(const Parts& parts, std::int64_t time_ns, std::int64_t dur_ns);
  void add_counters(const Parts& parts, std::int64_t time_ns, const Sequence& sequence);
  void add_legacy(const Parts& parts, std::int64_t time_ns);
  void match(std::vector<Edge>& edges);
  void close(std::uint32_t slice, std::int64_t end_ns);
  void rewrite_slices();
  void place_points();
  void link();

  RunBuilder& builder_;
  TrackTable& tracks_;
  Annotations annotations_;
  std::size_t first_slice_ = 0;  ///< rows of the run before this source
  std::size_t first_instant_ = 0;
  std::size_t first_sample_ = 0;
  std::vector<std::vector<Edge>> edges_;  ///< by track
  std::vector<std::int64_t> durations_;   ///< by slice of this source
  std::vector<std::uint32_t> open_;       ///< slices without an end
  std::vector<FlowEnd> flows_;
  std::uint32_t order_ = 0;
  std::int64_t latest_ns_ = 0;
};

}  // namespace tactus::perfetto
