#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace tactus {

/// A slice of one track, for the order in which its begin and end are written.
struct LaneSlice {
  /// Of a slice that was still running when the recording ended.
  static constexpr std::int64_t kNever = INT64_MAX;

  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t row = 0;
};

/// Spreads the slices of a track over lanes, so that those of one lane are one inside or after the
/// other: Perfetto closes the slice that began last, whichever slice an end is meant for.
class Lanes {
 public:
  /// Calls begin(lane, slice) and end(lane, end_ns) so that each lane is in order. The slices are
  /// sorted by this.
  template <class Begin, class End>
  void walk(std::vector<LaneSlice>& slices, Begin&& begin, End&& end) {
    sort(slices);
    reset();
    for (const LaneSlice& slice : slices) {
      const std::size_t lane = lane_for(slice, end);
      begin(lane, slice);
      open_[lane].push_back(slice.end_ns);
      if (lane >= kTried) tops_.emplace(slice.end_ns, lane);
    }
    for (std::size_t lane = 0; lane < open_.size(); ++lane) close(lane, LaneSlice::kNever, end);
  }

 private:
  /// Outer slices before those inside them; rows decide between equal ones.
  static void sort(std::vector<LaneSlice>& slices);

  /// Ends what does not run any more at that time; kNever itself is never ended.
  template <class End>
  void close(std::size_t lane, std::int64_t time_ns, End&& end) {
    std::vector<std::int64_t>& open = open_[lane];
    while (!open.empty() && open.back() <= time_ns && open.back() != LaneSlice::kNever) {
      end(lane, open.back());
      open.pop_back();
    }
  }

  /// The first lanes are tried one by one, which keeps slices in the lowest one. Many lanes need
  /// an order: a track may have as many as slices.
  template <class End>
  std::size_t lane_for(const LaneSlice& slice, End&& end) {
    for (std::size_t lane = 0; lane < std::min(open_.size(), kTried); ++lane) {
      close(lane, slice.start_ns, end);
      if (open_[lane].empty() || open_[lane].back() >= slice.end_ns) return lane;
    }
    while (!tops_.empty() && tops_.begin()->first <= slice.start_ns &&
           tops_.begin()->first != LaneSlice::kNever) {
      const std::size_t lane = tops_.begin()->second;
      tops_.erase(tops_.begin());
      close(lane, slice.start_ns, end);
      if (open_[lane].empty()) {
        empty_.push_back(lane);
      } else {
        tops_.emplace(open_[lane].back(), lane);
      }
    }
    if (!empty_.empty()) {
      const std::size_t lane = empty_.back();
      empty_.pop_back();
      return lane;
    }
    if (const auto around = tops_.lower_bound({slice.end_ns, 0}); around != tops_.end()) {
      const std::size_t lane = around->second;
      tops_.erase(around);
      return lane;
    }
    open_.emplace_back();
    return open_.size() - 1;
  }

  void reset() {
    for (std::vector<std::int64_t>& lane : open_) lane.clear();
    tops_.clear();
    empty_.clear();
    for (std::size_t lane = open_.size(); lane-- > kTried;) empty_.push_back(lane);
  }

  static constexpr std::size_t kTried = 8;

  std::vector<std::vector<std::int64_t>> open_;  ///< by lane: ends of slices that run, inner last
  std::set<std::pair<std::int64_t, std::size_t>> tops_;  ///< of lanes from kTried on: end, lane
  std::vector<std::size_t> empty_;                       ///< lanes from kTried on without slices
};

}  // namespace tactus
