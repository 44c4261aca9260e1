#include "cycles/phases/annotated_phases.h"

#include <algorithm>
#include <map>

#include "base/arithmetic.h"
#include "cycles/phases/step_annotation.h"

namespace tactus {
namespace {

/// Annotations that give a phase, next to each other or nested.
class PhaseRanges {
 public:
  void add(std::int64_t start, std::int64_t end, Phase phase) {
    ranges_.push_back({start, end, phase, 0});
  }

  void sort() {
    std::stable_sort(ranges_.begin(), ranges_.end(),
                     [](const Range& a, const Range& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < ranges_.size(); ++i) {
      const std::size_t longest = ranges_[i - 1].longest;
      ranges_[i].longest = ranges_[longest].end > ranges_[i].end ? longest : i;
    }
  }

  Phase at(std::int64_t time) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), time,
                         [](std::int64_t t, const Range& range) { return t < range.start; });
    if (after == ranges_.begin()) return Phase::kUnknown;
    const Range& last = *std::prev(after);
    if (time < last.end) return last.phase;
    const Range& around = ranges_[last.longest];
    return time < around.end ? around.phase : Phase::kUnknown;
  }

 private:
  struct Range {
    std::int64_t start = 0;
    std::int64_t end = 0;
    Phase phase = Phase::kUnknown;
    std::size_t longest = 0;  ///< the range that ends last among those up to this one
  };
  std::vector<Range> ranges_;
};

/// On the host by track; on the device by process, as a step may run on several streams.
struct Annotations {
  std::map<std::uint32_t, PhaseRanges> host;
  std::map<std::uint32_t, PhaseRanges> device;

  bool empty() const { return host.empty() && device.empty(); }
};

std::uint32_t process_of(const Run& run, std::uint32_t track) {
  const std::size_t thread = run.tracks[track].thread.value;
  return thread < run.threads.size() ? run.threads[thread].process.value : 0;
}

Annotations find_annotations(const Run& run) {
  Annotations found;
  const auto is_annotation = [&](std::int64_t category) {
    const SliceKind kind = run.kind_of(category);
    return kind == SliceKind::kAnnotation || kind == SliceKind::kGpuAnnotation;
  };
  std::vector<bool> wanted;
  for (std::size_t i = 0; i < run.categories.size(); ++i) {
    wanted.push_back(is_annotation(static_cast<std::int64_t>(i)));
  }
  const EventTable& slices = run.slices;
  slices.category().for_each_piece(
      0, slices.size(), [&](std::size_t first, std::span<const std::int64_t> categories) {
        for (std::size_t i = 0; i < categories.size(); ++i) {
          const auto category = static_cast<std::size_t>(categories[i]);
          if (category >= wanted.size() || !wanted[category]) continue;
          const std::size_t row = first + i;
          const Phase phase = phase_of_annotation(
              run.strings[StringId(static_cast<std::uint64_t>(slices.name()[row]))]);
          const auto track = static_cast<std::uint64_t>(slices.track()[row]);
          if (phase == Phase::kUnknown || track >= run.tracks.size()) continue;
          const auto on_track = static_cast<std::uint32_t>(track);
          PhaseRanges& ranges = run.categories[category].kind == SliceKind::kAnnotation
                                    ? found.host[on_track]
                                    : found.device[process_of(run, on_track)];
          const std::int64_t start = slices.start()[row];
          ranges.add(start, wrapping_add(start, slices.dur()[row]), phase);
        }
      });
  for (auto& [track, ranges] : found.host) ranges.sort();
  for (auto& [process, ranges] : found.device) ranges.sort();
  return found;
}

/// Launched inside a range of the same host thread.
void set_by_launch(const Run& run, const Annotations& annotations, std::vector<Phase>& phases) {
  const Column& kind = run.links.kind();
  for (std::size_t i = 0; i < run.links.rows; ++i) {
    if (kind[i] != static_cast<std::int64_t>(LinkKind::kLaunch)) continue;
    const auto from = static_cast<std::uint64_t>(run.links.from()[i]);
    const auto to = static_cast<std::uint64_t>(run.links.to()[i]);
    if (from >= phases.size() || to >= phases.size()) continue;
    const auto ranges = annotations.host.find(static_cast<std::uint32_t>(run.slices.track()[from]));
    if (ranges == annotations.host.end()) continue;
    phases[to] = ranges->second.at(run.slices.start()[from]);
  }
}

}  // namespace

std::vector<Phase> annotated_phases(const Run& run, std::span<const KernelStream> streams) {
  const Annotations annotations = find_annotations(run);
  if (annotations.empty()) return {};
  std::vector<Phase> launched(run.slices.size(), Phase::kUnknown);
  if (!annotations.host.empty()) set_by_launch(run, annotations, launched);
  std::vector<Phase> phases(run.slices.size(), Phase::kUnknown);
  for (const KernelStream& stream : streams) {
    const auto ranges = annotations.device.find(process_of(run, stream.track));
    for (std::size_t i = 0; i < stream.size(); ++i) {
      Phase& phase = phases[stream.rows[i]];
      phase = launched[stream.rows[i]];
      if (phase != Phase::kUnknown || ranges == annotations.device.end()) continue;
      phase = ranges->second.at(stream.starts[i]);
    }
  }
  return phases;
}

}  // namespace tactus
