#include "cycles/anchors/anchors.h"

#include <algorithm>
#include <array>
#include <deque>
#include <tuple>
#include <unordered_map>

#include "base/arithmetic.h"
#include "launches/sort_runs.h"
#include "names/python_frame.h"
#include "run/event_view.h"

namespace tactus {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr double kTrifle = 0.005;

/// The anchor of each name; each name is looked at once.
class NameGroups {
 public:
  NameGroups(const Run& run, const AnchorSearch& search)
      : run_(run), search_(search), group_of_(run.strings.size(), kNotLookedAt) {}

  /// kNone for slices that are not anchors.
  std::uint32_t of(std::int64_t name) {
    const auto index = static_cast<std::uint64_t>(name);
    if (index >= group_of_.size()) return kNone;
    if (group_of_[index] == kNotLookedAt) group_of_[index] = look_at(run_.strings[StringId(index)]);
    return group_of_[index];
  }
  const std::vector<AnchorName>& names() const { return names_; }

 private:
  static constexpr std::uint32_t kNotLookedAt = UINT32_MAX - 1;

  std::uint32_t look_at(std::string_view name) {
    if (search_.layers && !names_layer(search_.kind, name)) return kNone;
    std::optional<AnchorName> anchor = anchor_name(search_.kind, name);
    if (!search_.asked.empty()) {
      const bool is_asked = is_named(search_.asked, name) ||
                            (anchor && is_named(search_.asked, anchor->text)) ||
                            read_python_frame(name).function == search_.asked;
      if (!is_asked) return kNone;
      anchor = AnchorName{search_.asked, AnchorName::Trust::kEngine};
    }
    if (!anchor) return kNone;
    const auto next = static_cast<std::uint32_t>(names_.size());
    const auto [at, is_new] = known_.try_emplace(anchor->text, next);
    if (is_new) names_.push_back(std::move(*anchor));
    return at->second;
  }

  const Run& run_;
  const AnchorSearch& search_;
  std::vector<std::uint32_t> group_of_;  ///< by StringId
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<AnchorName> names_;
};

/// By track: the loop in which its slices may be anchors.
std::vector<std::uint32_t> loops_of_tracks(const Run& run, const Loops& loops, SliceKind kind) {
  std::vector<std::uint32_t> loop_of(run.tracks.size(), kNone);
  if (kind == SliceKind::kGpuAnnotation) {
    for (const DeviceItem& item : loops.work) {
      loop_of[static_cast<std::size_t>(run.slices.track()[item.row])] = item.loop;
    }
    return loop_of;
  }
  const std::vector<std::uint32_t> loop_of_process = loops_of_processes(run, loops);
  for (std::uint32_t track = 0; track < run.tracks.size(); ++track) {
    const std::uint32_t loop = loop_of_process[process_of_track(run, track)];
    if (run.tracks[track].on_device || loop == kNoLoop) continue;
    // A program may name its steps in another thread than the one that launches.
    const std::optional<std::uint32_t>& launching = loops.loops[loop].track;
    const bool is_any = kind == SliceKind::kAnnotation || !launching;
    if (is_any || *launching == track) loop_of[track] = loop;
  }
  return loop_of;
}

struct Found {
  std::uint32_t loop = 0;
  bool elsewhere = false;  ///< not on the thread that launches
  AnchorInstance instance;
};

struct Sum {
  std::size_t count = 0;
  double total_ns = 0;
};

/// Sums of one group by loop. Neighbouring slices are mostly of the same loop.
class SumsOfLoops {
 public:
  void add(std::uint32_t loop, std::int64_t dur_ns) {
    if (last_ == nullptr || loop != last_loop_) {
      last_ = &sums_[loop];
      last_loop_ = loop;
    }
    ++last_->count;
    last_->total_ns += static_cast<double>(dur_ns);
  }
  const std::unordered_map<std::uint32_t, Sum>& all() const { return sums_; }

 private:
  std::unordered_map<std::uint32_t, Sum> sums_;
  std::uint32_t last_loop_ = 0;
  Sum* last_ = nullptr;
};

class AnchorReader {
 public:
  AnchorReader(const Run& run, const Loops& loops, const AnchorSearch& search)
      : run_(run),
        loops_(loops),
        search_(search),
        groups_(run, search),
        loop_of_track_(loops_of_tracks(run, loops, search.kind)) {}

  std::vector<Anchor> read() {
    add_up();
    if (choose_groups()) collect();
    std::vector<Anchor> anchors;
    for (std::size_t group = 0; group < found_.size(); ++group) {
      std::vector<Found>& found = found_[group];
      if (found.empty()) continue;
      sort(found);
      if (search_.kind == SliceKind::kAnnotation) join_relays(found);
      anchors.push_back({groups_.names()[group], search_.kind, outermost(found)});
    }
    return anchors;
  }

 private:
  struct LoopSlice {
    std::size_t row = 0;
    std::uint32_t track = 0;
    std::uint32_t loop = 0;
    std::int64_t name = 0;
    std::int64_t dur_ns = 0;
  };

  /// Calls f(LoopSlice) for the slices of the kind on tracks of loops.
  template <class F>
  void for_each_loop_slice(F&& f) {
    const EventTable& slices = run_.slices;
    for_each_slice(
        run_, Captures::kLeaveOut, [&](SliceKind kind) { return kind == search_.kind; },
        std::array{&slices.track(), &slices.name(), &slices.dur()},
        [&](std::size_t row, SliceKind, const auto& values) {
          const auto track = static_cast<std::size_t>(values[0]);
          if (track >= loop_of_track_.size() || loop_of_track_[track] == kNone) return;
          f(LoopSlice{row, static_cast<std::uint32_t>(track), loop_of_track_[track], values[1],
                      values[2]});
        });
  }

  void add_up() {
    for_each_loop_slice([&](const LoopSlice& slice) {
      const std::uint32_t group = groups_.of(slice.name);
      if (group == kNone) return;
      while (group >= sums_.size()) sums_.emplace_back();
      sums_[group].add(slice.loop, slice.dur_ns);
    });
  }

  /// False if no name is a candidate.
  bool choose_groups() {
    is_chosen_.assign(groups_.names().size(), false);
    for (std::size_t group = 0; group < sums_.size(); ++group) {
      const bool is_engine = groups_.names()[group].trust == AnchorName::Trust::kEngine;
      for (const auto& [loop, sum] : sums_[group].all()) {
        const std::vector<std::int64_t>& kernels = loops_.loops[loop].kernels_at_ns;
        if (kernels.empty()) continue;
        if (is_engine || is_anchor(sum, kernels)) is_chosen_[group] = true;
      }
    }
    return std::find(is_chosen_.begin(), is_chosen_.end(), true) != is_chosen_.end();
  }

  bool is_anchor(const Sum& sum, const std::vector<std::int64_t>& kernels_at_ns) const {
    const auto span =
        static_cast<double>(wrapping_subtract(kernels_at_ns.back(), kernels_at_ns.front()));
    return sum.count <= search_.most && sum.total_ns >= kTrifle * span;
  }

  void collect() {
    const Column& starts = run_.slices.start();
    const Column& flags = run_.slices.flags();
    found_.resize(is_chosen_.size());
    for_each_loop_slice([&](const LoopSlice& slice) {
      const auto& [row, track, loop, name, dur] = slice;
      const std::uint32_t group = groups_.of(name);
      if (group == kNone || !is_chosen_[group]) return;
      const std::int64_t start = starts[row];
      found_[group].push_back(
          {.loop = loop,
           .elsewhere = loops_.loops[loop].track.value_or(track) != track,
           .instance = {.start_ns = start,
                        .end_ns = wrapping_add(start, dur),
                        .row = static_cast<std::uint32_t>(row),
                        .is_cut = (flags[row] & (kOpenBegin | kOpenEnd)) != 0}});
    });
  }

  static void sort(std::vector<Found>& found) {
    sort_runs(found, [](const Found& a, const Found& b) {
      return std::tuple(a.loop, a.elsewhere, a.instance.start_ns, b.instance.end_ns,
                        a.instance.row) < std::tuple(b.loop, b.elsewhere, b.instance.start_ns,
                                                     a.instance.end_ns, b.instance.row);
    });
  }

  /// Steps of a loop that several threads launch in turns are those of all its threads. Where they
  /// overlap, the threads do not take turns: each has a loop of its own.
  void join_relays(std::vector<Found>& found) const {
    for (auto first = found.begin(); first != found.end();) {
      const auto end = std::find_if(first, found.end(),
                                    [&](const Found& other) { return other.loop != first->loop; });
      if (loops_.loops[first->loop].is_relayed) {
        std::vector<Found> joined(first, end);
        for (Found& one : joined) one.elsewhere = false;
        sort(joined);
        std::size_t overlaps = 0;
        for (std::size_t i = 1; i < joined.size(); ++i) {
          if (joined[i].instance.start_ns < joined[i - 1].instance.end_ns) ++overlaps;
        }
        if (overlaps * 20 <= joined.size()) std::copy(joined.begin(), joined.end(), first);
      }
      first = end;
    }
  }

  std::vector<AnchoredLoop> outermost(const std::vector<Found>& sorted) const {
    std::vector<AnchoredLoop> loops;
    const Found* last = nullptr;
    for (const Found& found : sorted) {
      if (loops.empty() || loops.back().loop != found.loop) loops.push_back({found.loop, {}});
      std::vector<AnchorInstance>& instances = loops.back().instances;
      const bool is_first = instances.empty();
      const bool same_thread = is_first || last->elsewhere == found.elsewhere;
      if (same_thread && (is_first || found.instance.start_ns >= instances.back().end_ns)) {
        instances.push_back(found.instance);
        last = &found;
      } else if (search_.kind == SliceKind::kGpuAnnotation) {
        // A step on several streams has a range on each.
        instances.back().end_ns = std::max(instances.back().end_ns, found.instance.end_ns);
      }
    }
    return loops;
  }

  const Run& run_;
  const Loops& loops_;
  const AnchorSearch& search_;
  NameGroups groups_;
  std::vector<std::uint32_t> loop_of_track_;
  std::deque<SumsOfLoops> sums_;           ///< by group
  std::vector<bool> is_chosen_;            ///< by group
  std::vector<std::vector<Found>> found_;  ///< by group
};

}  // namespace

std::size_t Anchor::size() const {
  std::size_t count = 0;
  for (const AnchoredLoop& of : loops) count += of.instances.size();
  return count;
}

std::vector<Anchor> find_anchors(const Run& run, const Loops& loops, const AnchorSearch& search) {
  if (loops.loops.empty()) return {};
  return AnchorReader(run, loops, search).read();
}

}  // namespace tactus
