#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "edit_run/recording.h"
#include "edit_run/replay.h"

namespace tactus::edit_run {

/// The new times of everything in a run. What was not replayed moves with what was: other threads
/// and counters with the main thread of their loop, ranges on a device with the work of its stream.
class NewTimes {
 public:
  NewTimes(const Run& run, const Recording& recording, Replayed replayed);

  std::int64_t start_ns(std::size_t row) const { return start_ns_[row]; }
  std::int64_t end_ns(std::size_t row) const { return end_ns_[row]; }
  std::int64_t at_track(std::uint32_t track, std::int64_t old_ns) const {
    return warps_[warp_of_track_[track]].at(old_ns);
  }
  std::int64_t at_series(std::size_t series, std::int64_t old_ns) const {
    return warps_[warp_of_series_[series]].at(old_ns);
  }

 private:
  void add_warps_of_streams(const Run& run, const Recording& recording);
  void assign_tracks(const Run& run, const Recording& recording);
  void assign_series(const Run& run, const Recording& recording);
  void move_other_slices(const Run& run, const Recording& recording);

  std::vector<std::int64_t> start_ns_;
  std::vector<std::int64_t> end_ns_;
  std::vector<Warp> warps_;  ///< of loops, then of streams
  std::map<std::uint32_t, std::uint32_t> warp_of_stream_;
  std::vector<std::uint32_t> warp_of_track_;
  std::vector<std::uint32_t> warp_of_series_;
};

}  // namespace tactus::edit_run
