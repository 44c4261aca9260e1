#include "cycles/phases/annotated_phases.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/arithmetic.h"
#include "cycles/phases/step_annotation.h"
#include "run/event_view.h"

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
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kInclude,
      [](SliceKind kind) {
        return kind == SliceKind::kAnnotation || kind == SliceKind::kGpuAnnotation;
      },
      std::array{&slices.name(), &slices.track(), &slices.start(), &slices.dur()},
      [&](std::size_t, SliceKind kind, const auto& values) {
        const auto [name, track, start, dur] = values;
        const Phase phase =
            phase_of_annotation(run.strings[StringId(static_cast<std::uint64_t>(name))]);
        if (phase == Phase::kUnknown) return;
        if (static_cast<std::uint64_t>(track) >= run.tracks.size()) return;
        const auto on_track = static_cast<std::uint32_t>(track);
        PhaseRanges& ranges = kind == SliceKind::kAnnotation
                                  ? found.host[on_track]
                                  : found.device[process_of(run, on_track)];
        ranges.add(start, wrapping_add(start, dur), phase);
      });
  for (auto& [track, ranges] : found.host) ranges.sort();
  for (auto& [process, ranges] : found.device) ranges.sort();
  return found;
}

/// Launched inside a range of the same host thread.
void set_by_launch(const Run& run, const Annotations& annotations, std::vector<Phase>& phases) {
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
    const auto ranges = annotations.host.find(static_cast<std::uint32_t>(run.slices.track()[call]));
    if (ranges == annotations.host.end()) return;
    phases[work] = ranges->second.at(run.slices.start()[call]);
  });
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
