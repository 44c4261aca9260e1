#include "measure/taking_turns.h"

#include <algorithm>
#include <cmath>

#include "base/interval.h"

namespace tactus {
namespace {

constexpr std::size_t kStepsToTry = 20;  // ranks that compute at the same time do so in each step
constexpr double kOverlap = 0.1;         // of the time of the rank that computes least
constexpr double kOfChance = 0.5;        // of the overlap of ranks that know nothing of each other

/// When kernels that compute ran, up to a time.
std::vector<Interval> compute_of(const RankWork& work, std::int64_t until_ns) {
  std::vector<Interval> found;
  for (const DevicePiece& piece : work.pieces) {
    if (piece.start_ns >= until_ns) break;  // they are sorted
    if (is_compute_part(piece.part)) found.push_back({piece.start_ns, piece.end_ns});
  }
  return joined(std::move(found));
}

double length_of(const std::vector<Interval>& intervals) {
  double ns = 0;
  for (const Interval& interval : intervals) {
    ns += static_cast<double>(wrapping_subtract(interval.end_ns, interval.begin_ns));
  }
  return ns;
}

/// How much of a stretch of time intervals cover.
class Cover {
 public:
  explicit Cover(std::vector<Interval> intervals) : intervals_(std::move(intervals)) {
    sums_.push_back(0);
    for (const Interval& interval : intervals_) {
      sums_.push_back(sums_.back() +
                      static_cast<double>(wrapping_subtract(interval.end_ns, interval.begin_ns)));
    }
  }
  double between(std::int64_t begin_ns, std::int64_t end_ns) const {
    return until(end_ns) - until(begin_ns);
  }

 private:
  double until(std::int64_t time_ns) const {
    const auto after = std::upper_bound(
        intervals_.begin(), intervals_.end(), time_ns,
        [](std::int64_t time, const Interval& interval) { return time < interval.begin_ns; });
    const auto count = static_cast<std::size_t>(after - intervals_.begin());
    if (count == 0) return 0;
    const Interval& last = intervals_[count - 1];
    const std::int64_t end = std::min(last.end_ns, time_ns);
    return sums_[count - 1] + static_cast<double>(wrapping_subtract(end, last.begin_ns));
  }

  std::vector<Interval> intervals_;
  std::vector<double> sums_;
};

struct Computing {
  std::vector<std::vector<Interval>> of_rank;
  std::vector<Interval> of_any;
};

Computing read(const std::vector<RankWork>& work, std::int64_t until_ns) {
  Computing found;
  for (const RankWork& of : work) {
    found.of_rank.push_back(compute_of(of, until_ns));
    found.of_any.insert(found.of_any.end(), found.of_rank.back().begin(),
                        found.of_rank.back().end());
  }
  found.of_any = joined(std::move(found.of_any));
  return found;
}

/// Ranks that compute little hardly overlap, whatever they do, so they have to overlap less than by
/// chance.
bool take_turns(const Computing& computing, double span_ns) {
  double sum = 0;
  double least = INFINITY;
  double none = span_ns;  // of the time in which no rank computes, if they do so by chance
  for (const std::vector<Interval>& of_rank : computing.of_rank) {
    const double ns = length_of(of_rank);
    sum += ns;
    least = std::min(least, ns);
    none *= std::max(0.0, 1 - ns / span_ns);
  }
  const double overlap = sum - length_of(computing.of_any);
  const double by_chance = sum - (span_ns - none);
  return least > 0 && overlap < kOverlap * least && overlap < kOfChance * by_chance;
}

/// Makes time of a step in which the host seemed to be busy, or the device to be waited for,
/// waiting for other ranks.
void move_to_waiting(double ns, std::size_t step, RankMeasure& rank) {
  for (const Part from : {Part::kHostCode, Part::kWaitCall, Part::kLock, Part::kUnknownIdle}) {
    std::vector<double>& column = rank.parts[static_cast<std::size_t>(from)];
    if (column.empty() || !(ns > 0)) continue;
    const double moved = std::min(ns, column[step]);
    column[step] -= moved;
    rank.parts[static_cast<std::size_t>(Part::kOtherRanks)][step] += moved;
    ns -= moved;
  }
}

}  // namespace

void split_turns(const std::vector<RankWork>& work, std::vector<RankMeasure>& ranks) {
  if (ranks.size() < 2) return;
  std::int64_t begin = INT64_MAX;
  std::int64_t until = INT64_MAX;
  std::int64_t end = INT64_MIN;
  for (const RankMeasure& rank : ranks) {
    if (rank.steps.empty()) return;
    begin = std::min(begin, rank.steps.front().start_ns);
    until = std::min(until, rank.steps[std::min(kStepsToTry, rank.steps.size()) - 1].end_ns);
    end = std::max(end, rank.steps.back().end_ns);
  }
  const auto span = [&](std::int64_t to) {
    return std::max(1.0, static_cast<double>(wrapping_subtract(to, begin)));
  };
  if (!take_turns(read(work, until), span(until))) return;
  Computing computing = read(work, INT64_MAX);
  if (!take_turns(computing, span(end))) return;
  const Cover any(std::move(computing.of_any));
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    RankMeasure& rank = ranks[r];
    const Cover own(std::move(computing.of_rank[r]));
    rank.parts[static_cast<std::size_t>(Part::kOtherRanks)].resize(rank.steps.size(), 0);
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
      const MeasuredStep& of = rank.steps[step];
      move_to_waiting(any.between(of.start_ns, of.end_ns) - own.between(of.start_ns, of.end_ns),
                      step, rank);
    }
  }
}

}  // namespace tactus
