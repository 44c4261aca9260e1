#include "gate/replay/device_sharing.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "gate/replay/kernel_spans.h"
#include "gate/replay/side_by_side.h"

namespace tactus::gate {
namespace {

constexpr std::int64_t kShortTurn =
    500'000;                      // far less than a turn, more than kernels of a name differ by
constexpr std::size_t kFew = 20;  ///< of anything: too few to go by

struct Event {
  std::int64_t at_ns = 0;
  std::uint32_t process = 0;
  bool is_end = false;
};

/// Events of one process, one after the other, while others had work, too.
struct Turn {
  std::uint32_t process = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::size_t events = 0;
  std::size_t ends = 0;
};

template <typename T>
T median_of(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class SharingReader {
 public:
  explicit SharingReader(const LaunchTrace& trace) : trace_(trace), spans_(kernel_spans(trace)) {
    for (const KernelSpan& span : spans_) {
      processes_.insert(span.process);
      events_.push_back({span.start_ns, span.process, false});
      events_.push_back({span.end_ns, span.process, true});
    }
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
    for (const std::uint32_t process : processes_) {
      own_busy_[process] = busy_times(spans_, [&](std::uint32_t one) { return one == process; });
      rival_busy_[process] = busy_times(spans_, [&](std::uint32_t one) { return one != process; });
      std::vector<std::int64_t>& rivals = rival_events_[process];
      for (const Event& event : events_) {
        if (event.process != process) rivals.push_back(event.at_ns);
      }
    }
    find_window();
    read_turns();
  }

  DeviceSharing find(std::optional<Sharing> forced) {
    DeviceSharing out;
    if (processes_.size() < 2) {
      out.sharing = forced.value_or(Sharing::kKernels);
      return out;
    }
    out.sharing = forced ? *forced : decide(out);
    if (out.sharing == Sharing::kSlices) find_slices(out);
    if (out.sharing == Sharing::kSideBySide) {
      const SideBySide beside = side_by_side();
      out.rates = beside.rates();
      out.notes.insert(out.notes.end(), beside.notes().begin(), beside.notes().end());
    }
    return out;
  }

  LaunchTrace own_times(const DeviceSharing& sharing) {
    LaunchTrace out = trace_;
    if (processes_.size() < 2 || sharing.sharing == Sharing::kKernels) return out;
    const std::vector<std::int64_t> own =
        sharing.sharing == Sharing::kSlices ? own_by_turns() : side_by_side().own_times();
    for (std::size_t i = 0; i < spans_.size(); ++i) out.kernels[spans_[i].kernel].dur_ns = own[i];
    return out;
  }

 private:
  SideBySide side_by_side() const { return {trace_, spans_, from_ns_, to_ns_}; }

  /// What others did around the ends of the recording is not known: their units are cut off there.
  void find_window() {
    for (const auto& [process, busy] : own_busy_) {
      if (busy.all().empty()) continue;
      from_ns_ = std::max(from_ns_, busy.all().front().first);
      to_ns_ = std::min(to_ns_, busy.all().back().second);
    }
  }
  bool is_known(const KernelSpan& span) const {
    return span.ready_ns >= from_ns_ && span.end_ns <= to_ns_;
  }

  bool may_have_rival(const KernelSpan& span) const {
    return !is_known(span) || rival_busy_.at(span.process).overlap(span.ready_ns, span.end_ns) > 0;
  }

  /// Where both have work, they are told apart by who has events: while it is the turn of one, the
  /// others have none.
  void read_turns() {
    Turn turn;
    for (const Event& event : events_) {
      const bool is_shared = rival_busy_.at(event.process).has(event.at_ns);
      const bool goes_on = is_shared && turn.events > 0 && turn.process == event.process;
      if (!goes_on && turn.events > 0) turns_.push_back(std::exchange(turn, {}));
      if (!is_shared) continue;
      if (turn.events++ == 0) turn.first_ns = event.at_ns;
      turn.process = event.process;
      turn.last_ns = event.at_ns;
      turn.ends += event.is_end ? 1 : 0;
    }
    if (turn.events > 0) turns_.push_back(turn);
  }

  Sharing decide(DeviceSharing& out) const {
    // Of the process with fewer kernels: if both get on at once, the other's come between any two
    // of them, and if the device takes one after the other, too. A turn has many of them.
    constexpr double kOfATurn = 4;
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> ends;  // turns, kernels
    for (const Turn& turn : turns_) {
      if (turn.ends == 0) continue;
      ++ends[turn.process].first;
      ends[turn.process].second += turn.ends;
    }
    std::size_t fewest = SIZE_MAX;
    double in_a_turn = 0;
    for (const std::uint32_t process : processes_) {
      const auto [turns, kernels] = ends[process];
      if (turns == 0 || kernels >= fewest) continue;
      fewest = kernels;
      in_a_turn = static_cast<double>(kernels) / static_cast<double>(turns);
    }
    if (ends.size() < 2 || fewest < kFew) {
      out.notes.emplace_back(
          "the processes of the recording hardly ever had work at the same time: that they get "
          "turns is an assumption; --sharing says how it is");
      return Sharing::kSlices;
    }
    if (in_a_turn >= kOfATurn) return Sharing::kSlices;
    return runs_at_once() ? Sharing::kSideBySide : Sharing::kKernels;
  }

  /// Whether kernels of two processes were running for a good part of the time that both had work.
  bool runs_at_once() const {
    std::map<std::uint32_t, std::vector<Intervals::One>> running;
    for (const KernelSpan& span : spans_) {
      running[span.process].emplace_back(span.start_ns, span.end_ns);
    }
    std::int64_t at_once = 0;
    std::int64_t shared = 0;
    Intervals before;
    for (auto& [process, times] : running) {
      const Intervals now(std::move(times));
      at_once += now.common(before).length();
      std::vector<Intervals::One> both(before.all().begin(), before.all().end());
      both.insert(both.end(), now.all().begin(), now.all().end());
      before = Intervals(std::move(both));
      shared += own_busy_.at(process).common(rival_busy_.at(process)).length();
    }
    constexpr double kGoodPart = 0.1;
    // Every moment that is shared by two is counted for both.
    return static_cast<double>(at_once) > kGoodPart * static_cast<double>(shared) / 2;
  }

  // By turns

  /// The events of others strictly within, apart from the moment in which the turn changes.
  std::size_t rival_events(std::uint32_t process, std::int64_t begin, std::int64_t end) const {
    const std::vector<std::int64_t>& rivals = rival_events_.at(process);
    const auto from = std::upper_bound(rivals.begin(), rivals.end(), begin);
    const auto to = std::lower_bound(from, rivals.end(), end);
    return static_cast<std::size_t>(to - from);
  }

  /// Kernels that never kept their turn, as they are longer: what others did meanwhile is not
  /// theirs.
  void subtract_rivals(const std::vector<std::size_t>& longer,
                       std::vector<std::int64_t>& own) const {
    for (const std::uint32_t process : processes_) {
      std::vector<std::pair<std::int64_t, std::int64_t>> rivals;  // end, own time
      for (std::size_t i = 0; i < spans_.size(); ++i) {
        if (spans_[i].process != process) rivals.emplace_back(spans_[i].end_ns, own[i]);
      }
      std::sort(rivals.begin(), rivals.end());
      for (const std::size_t i : longer) {
        const KernelSpan& span = spans_[i];
        if (span.process != process) continue;
        auto rival =
            std::upper_bound(rivals.begin(), rivals.end(), std::pair(span.start_ns, INT64_MAX));
        std::int64_t left = span.end_ns - span.start_ns;
        for (; rival != rivals.end() && rival->first <= span.end_ns; ++rival) {
          left -= rival->second;
        }
        own[i] = std::max<std::int64_t>(left, 0);
      }
    }
  }

  struct Times {
    std::vector<std::int64_t> kernels;
    std::vector<std::int64_t> pauses;  ///< before them
  };

  /// In its own turn, a kernel takes what it takes alone. One that others had events in lost its
  /// turn: it is taken to be like the others at its place.
  std::vector<std::int64_t> own_by_turns() const {
    std::unordered_map<std::size_t, Times> at_place;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Times> by_name;
    const auto name_of = [&](const KernelSpan& span) {
      return std::pair(span.process,
                       static_cast<std::uint64_t>(trace_.kernels[span.kernel].name.value));
    };
    for (const KernelSpan& span : spans_) {
      Times& place = at_place[span.place];
      Times& name = by_name[name_of(span)];
      if (rival_events(span.process, span.start_ns, span.end_ns) == 0) {
        place.kernels.push_back(span.end_ns - span.start_ns);
        name.kernels.push_back(span.end_ns - span.start_ns);
      }
      if (span.was_queued() && rival_events(span.process, span.ready_ns, span.start_ns) == 0) {
        place.pauses.push_back(span.start_ns - span.ready_ns);
      }
    }
    std::unordered_map<std::size_t, std::pair<std::int64_t, std::int64_t>> typical;
    std::vector<std::int64_t> own;
    own.reserve(spans_.size());
    std::vector<std::size_t> longer;
    for (const KernelSpan& span : spans_) {
      const auto [at, is_new] = typical.try_emplace(span.place, 0, 0);
      if (is_new) {
        const Times& place = at_place[span.place];
        const Times& name = by_name[name_of(span)];
        const std::int64_t half = (span.end_ns - span.start_ns) / 2;
        at->second.first = place.kernels.size() >= 3 ? median_of(place.kernels)
                           : !name.kernels.empty()   ? median_of(name.kernels)
                                                     : half;
        // Where units begin with a turn, every one loses it at the same place.
        const std::int64_t others = name.kernels.empty() ? 0 : median_of(name.kernels);
        const bool lost_always =
            others > 0 && at->second.first > 3 * others && at->second.first - others > kShortTurn;
        if (lost_always && may_have_rival(span)) at->second.first = others;
        at->second.second = place.pauses.empty() ? 0 : median_of(place.pauses);
      }
      own.push_back(own_by_turns(span, at->second.first, at->second.second));
      const bool is_longer = at_place[span.place].kernels.size() < 3 &&
                             by_name[name_of(span)].kernels.empty() && may_have_rival(span);
      if (is_longer) longer.push_back(own.size() - 1);
    }
    subtract_rivals(longer, own);
    return own;
  }

  std::int64_t own_by_turns(const KernelSpan& span, std::int64_t typical,
                            std::int64_t typical_pause) const {
    const std::int64_t took = span.end_ns - span.start_ns;
    const std::int64_t pause = span.was_queued() ? span.start_ns - span.ready_ns : 0;
    // A turn may be lost to one kernel that is longer than the turn: then there is no event.
    const bool lost_turn = rival_events(span.process, span.start_ns, span.end_ns) > 0 ||
                           (may_have_rival(span) && took > 3 * typical);
    const bool has_waited = rival_events(span.process, span.ready_ns, span.start_ns) > 0 ||
                            (may_have_rival(span) && pause > 2 * typical_pause);
    return (lost_turn ? std::min(took, typical) : took) +
           (has_waited ? std::min(pause, typical_pause) : pause);
  }

  /// Without those in which the clocks of two processes are not quite the same.
  std::vector<Turn> clear_turns() const {
    constexpr std::size_t kLeastEvents = 4;
    std::vector<Turn> out;
    for (const Turn& turn : turns_) {
      if (turn.events < kLeastEvents) continue;
      if (!out.empty() && out.back().process == turn.process) {
        out.back().last_ns = turn.last_ns;
        out.back().events += turn.events;
      } else {
        out.push_back(turn);
      }
    }
    return out;
  }

  void find_slices(DeviceSharing& out) const {
    const std::vector<Turn> turns = clear_turns();
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 1; i + 1 < turns.size(); ++i) {
      const Turn& turn = turns[i];
      const Turn& before = turns[i - 1];
      const Turn& after = turns[i + 1];
      // Whole ones: both had work from the turn before to the turn behind.
      const auto has_work = [&](const Intervals& busy) {
        return busy.end_of(before.last_ns) >= after.first_ns;
      };
      if (!has_work(own_busy_.at(turn.process)) || !has_work(rival_busy_.at(turn.process)))
        continue;
      lengths.push_back((turn.last_ns + after.first_ns - before.last_ns - turn.first_ns) / 2);
    }
    if (lengths.size() < kFew) {
      out.notes.emplace_back(
          "too few whole turns are in the recording: turns are taken to be 2 ms long, without a "
          "cost to switch");
      return;
    }
    out.slice_ns = std::max<std::int64_t>(median_of(lengths), 1);
    out.switch_ns = std::clamp<std::int64_t>(lost_ns() / static_cast<std::int64_t>(turns.size()), 0,
                                             out.slice_ns / 2);
    out.handover_ns = std::min(handover_ns().value_or(out.switch_ns), out.switch_ns);
  }

  /// From the end of a process's work to the first kernel of another that was waiting for its turn.
  /// Not to one that had lost its turn: what was left of it is in that time.
  std::optional<std::int64_t> handover_ns() const {
    std::vector<std::int64_t> gaps;
    for (const auto& [process, busy] : own_busy_) {
      const Intervals& rivals = rival_busy_.at(process);
      for (const auto& [begin, end] : busy.all()) {
        const auto next =
            std::upper_bound(events_.begin(), events_.end(), end,
                             [](std::int64_t at, const Event& event) { return at < event.at_ns; });
        if (!rivals.has(end) || next == events_.end()) continue;
        if (next->process != process && !next->is_end) gaps.push_back(next->at_ns - end);
      }
    }
    if (gaps.size() < kFew) return std::nullopt;
    return median_of(gaps);
  }

  /// While several had work: what is not the own time of any kernel.
  std::int64_t lost_ns() const {
    const std::vector<std::int64_t> own = own_by_turns();
    double worked = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const KernelSpan& span = spans_[i];
      const std::int64_t length = span.end_ns - span.ready_ns;
      if (length <= 0) continue;
      const std::int64_t shared = rival_busy_.at(span.process).overlap(span.ready_ns, span.end_ns);
      worked +=
          static_cast<double>(own[i]) * static_cast<double>(shared) / static_cast<double>(length);
    }
    std::vector<Intervals::One> shared;
    for (const std::uint32_t process : processes_) {
      const Intervals common = own_busy_.at(process).common(rival_busy_.at(process));
      shared.insert(shared.end(), common.all().begin(), common.all().end());
    }
    return Intervals(std::move(shared)).length() - static_cast<std::int64_t>(worked);
  }

  const LaunchTrace& trace_;
  std::vector<KernelSpan> spans_;
  std::vector<Event> events_;
  std::vector<Turn> turns_;
  std::set<std::uint32_t> processes_;
  std::int64_t from_ns_ = 0;
  std::int64_t to_ns_ = INT64_MAX;
  std::map<std::uint32_t, Intervals> own_busy_;
  std::map<std::uint32_t, Intervals> rival_busy_;
  std::map<std::uint32_t, std::vector<std::int64_t>> rival_events_;
};

}  // namespace

DeviceSharing find_sharing(const LaunchTrace& trace, std::optional<Sharing> forced) {
  return SharingReader(trace).find(forced);
}

LaunchTrace with_own_times(const LaunchTrace& trace, const DeviceSharing& sharing) {
  return SharingReader(trace).own_times(sharing);
}

}  // namespace tactus::gate
