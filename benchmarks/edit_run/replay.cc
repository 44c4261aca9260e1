#include "edit_run/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/interval.h"
#include "base/median.h"
#include "edit_run/sleeps.h"

namespace tactus::edit_run {
namespace {

/// Device work that starts later than this after its launch and after the work before it waited for
/// something else [ns].
constexpr std::int64_t kUnexplained = 20'000;

std::int64_t scaled(std::int64_t ns, double factor) {
  return factor == 1 ? ns : std::llround(static_cast<double>(ns) * factor);
}

/// A moment that something depends on, as it was and as it is now.
struct Moment {
  std::int64_t old_ns = 0;
  std::int64_t new_ns = 0;
};

/// The moment in [old_start, old_end] nearest to a time; inside, time passes evenly.
Moment moment_of(const Moment& start, const Moment& end, std::int64_t old_ns) {
  if (old_ns >= end.old_ns) return end;
  if (old_ns <= start.old_ns) return start;
  const std::int64_t passed = old_ns - start.old_ns;
  const std::int64_t longer = (end.new_ns - start.new_ns) - (end.old_ns - start.old_ns);
  const auto share = static_cast<double>(passed) / static_cast<double>(end.old_ns - start.old_ns);
  return {old_ns, start.new_ns + passed + std::llround(share * static_cast<double>(longer))};
}

/// When work was launched, in old times: in the course of a call, but at the beginning of one that
/// waits for it.
Interval launch_span(const Recording& recording, const Work& work) {
  const std::int64_t begin_ns = recording.start_ns[work.call];
  const bool waits = work.kind == WorkKind::kWaitedCopy;
  return {begin_ns, waits ? begin_ns : recording.end_ns[work.call]};
}

/// A delay that is usual where nothing else delays the work: the median of such delays. If there
/// are none, the smallest of all, as long as it can be such a delay.
class UsualDelay {
 public:
  void add(std::int64_t delay_ns, bool is_pure) {
    delay_ns = std::max<std::int64_t>(0, delay_ns);
    smallest_ = std::min(smallest_, delay_ns);
    if (is_pure) pure_.push_back(delay_ns);
  }
  std::int64_t ns() const {
    if (!pure_.empty()) return upper_median(pure_);
    return std::min(smallest_, kUnexplained);
  }

 private:
  std::int64_t smallest_ = INT64_MAX;
  std::vector<std::int64_t> pure_;
};

/// How long after its launch, or after the work before it, work starts if nothing else delays it.
struct UsualDelays {
  std::array<std::int64_t, kWorkKinds> after_launch{};
  std::array<std::int64_t, kWorkKinds> after_work{};
};

UsualDelays usual_delays(const Recording& recording) {
  std::array<UsualDelay, kWorkKinds> after_launch, after_work;
  for (const Work& work : recording.work) {
    if (work.call == kNone || work.before == kNone) continue;
    const auto kind = static_cast<std::size_t>(work.kind);
    const std::int64_t before_ns = recording.work[work.before].end_ns;
    const Interval launch = launch_span(recording, work);
    const bool found_empty_stream = before_ns < launch.begin_ns;
    const bool queued_for_long = launch.end_ns + kUnexplained < before_ns;
    after_launch[kind].add(work.start_ns - launch.end_ns, found_empty_stream);
    after_work[kind].add(work.start_ns - before_ns, queued_for_long);
  }
  UsualDelays usual;
  for (std::size_t kind = 0; kind < kWorkKinds; ++kind) {
    usual.after_launch[kind] = after_launch[kind].ns();
    usual.after_work[kind] = after_work[kind].ns();
  }
  return usual;
}

class Replay {
 public:
  Replay(const Run& run, const Recording& recording, const Steps& steps, const Effects& effects)
      : recording_(recording),
        steps_(steps),
        effects_(effects),
        usual_(usual_delays(recording)),
        sleeps_(find_sleeps(run, recording, steps, effects)),
        threads_(recording.loops.size()),
        streams_(run.tracks.size()) {
    out_.start_ns.assign(run.slices.size(), kNotReplayed);
    out_.end_ns.assign(run.slices.size(), kNotReplayed);
    out_.warps.resize(recording.loops.size());
    for (Thread& thread : threads_) thread.gap_factor = effects.gap_factor_outside;
  }

  Replayed run() {
    for (const Event& event : recording_.events) {
      switch (event.what) {
        case Event::kWaitEnds: end_wait(event.index); break;
        case Event::kSliceEnds: end_slice(event.index); break;
        case Event::kSliceBegins: begin_slice(event.index); break;
        case Event::kWorkStarts: start_work(event.index); break;
      }
    }
    return std::move(out_);
  }

 private:
  /// A main thread at the time up to which it was replayed.
  struct Thread {
    std::optional<Moment> now;
    double gap_factor = 1;
    double rest_ns = 0;  ///< what rounding left
    int open_calls = 0;
    int open_launches = 0;
    std::size_t sleeps = 0;  ///< slept so far
    std::size_t ended = 0;   ///< of RecordedLoop::by_end
  };
  struct Stream {
    std::int64_t last_end_ns = INT64_MIN;  ///< new
    std::uint32_t ended_last = kNone;      ///< place of its work, by old times
    std::uint32_t started_last = kNone;
  };

  std::uint32_t loop_of(std::uint32_t row) const {
    return recording_.loop_of_main_track[recording_.track[row]];
  }
  bool has_role(std::uint32_t row, Role role) const { return (recording_.roles[row] & role) != 0; }

  void set_time(std::uint32_t loop, const Moment& now) {
    threads_[loop].now = now;
    out_.warps[loop].add(now.old_ns, now.new_ns);
  }

  /// The thread goes on to a time of the recording.
  void advance(std::uint32_t loop, std::int64_t old_ns) {
    Thread& thread = threads_[loop];
    if (!thread.now) set_time(loop, {old_ns, old_ns});
    if (old_ns <= thread.now->old_ns) return;
    double factor = thread.open_calls > 0 ? 1 : thread.gap_factor;
    if (thread.open_launches > 0) factor = effects_.launch_factor;
    std::int64_t passed = old_ns - thread.now->old_ns;
    if (factor != 1) {
      const double exact = static_cast<double>(passed) * factor + thread.rest_ns;
      passed = std::llround(exact);
      thread.rest_ns = exact - static_cast<double>(passed);
    }
    set_time(loop, {old_ns, thread.now->new_ns + passed});
  }

  void count_call(std::uint32_t row, Thread& thread, int change) const {
    if (has_role(row, kCall)) thread.open_calls += change;
    if (has_role(row, kLaunch)) thread.open_launches += change;
  }

  void begin_slice(std::uint32_t row) {
    const std::uint32_t loop = loop_of(row);
    Thread& thread = threads_[loop];
    const std::int64_t begin_ns = recording_.start_ns[row];
    advance(loop, begin_ns);
    while (thread.sleeps < sleeps_[loop].size() && sleeps_[loop][thread.sleeps].at_ns <= begin_ns) {
      const std::int64_t sleep_ns = sleeps_[loop][thread.sleeps++].sleep_ns;
      set_time(loop, {begin_ns, thread.now->new_ns + sleep_ns});
    }
    out_.start_ns[row] = thread.now->new_ns;
    const std::int32_t cycle = steps_.cycles.cycle_of_slice[row];
    if (cycle >= 0) thread.gap_factor = effects_.gap_factor[static_cast<std::size_t>(cycle)];
    if (recording_.end_ns[row] == begin_ns) {
      out_.end_ns[row] = thread.now->new_ns;
    } else {
      count_call(row, thread, 1);
    }
  }

  void end_slice(std::uint32_t row) {
    const std::uint32_t loop = loop_of(row);
    advance(loop, recording_.end_ns[row]);
    count_call(row, threads_[loop], -1);
    out_.end_ns[row] = threads_[loop].now->new_ns;
  }

  /// The work that a call waited for: its own copy, or else what ended last before it returned.
  const Work* waited_for(std::uint32_t row) {
    if (const auto copy = recording_.copy_of_call.find(row);
        copy != recording_.copy_of_call.end()) {
      return &recording_.work[copy->second];
    }
    const std::uint32_t loop = loop_of(row);
    const std::vector<std::uint32_t>& by_end = recording_.loops[loop].by_end;
    std::size_t& ended = threads_[loop].ended;
    while (ended < by_end.size() &&
           recording_.work[by_end[ended]].end_ns <= recording_.end_ns[row]) {
      ++ended;
    }
    return ended == 0 ? nullptr : &recording_.work[by_end[ended - 1]];
  }

  void end_wait(std::uint32_t row) {
    const Work* work = waited_for(row);
    if (work == nullptr || out_.end_ns[work->row] == kNotReplayed) return end_slice(row);
    const std::uint32_t loop = loop_of(row);
    const std::int64_t begin_ns = recording_.start_ns[row];
    const std::int64_t end_ns = recording_.end_ns[row];
    const std::int64_t returns_ns = std::max(out_.start_ns[row], out_.end_ns[work->row]) +
                                    std::min(end_ns - begin_ns, end_ns - work->end_ns);
    set_time(loop, {end_ns, std::max(threads_[loop].now->new_ns, returns_ns)});
    count_call(row, threads_[loop], -1);
    out_.end_ns[row] = threads_[loop].now->new_ns;
  }

  std::optional<Moment> launch_of(const Work& work) const {
    if (work.call == kNone) return std::nullopt;
    const Interval launch = launch_span(recording_, work);
    if (loop_of(work.call) == kNone) {
      const std::int64_t at = std::clamp(work.start_ns, launch.begin_ns, launch.end_ns);
      return Moment{at, out_.warps[work.loop].at(at)};
    }
    const Moment begin{launch.begin_ns, out_.start_ns[work.call]};
    if (launch.end_ns == launch.begin_ns) return begin;
    Moment end{launch.end_ns, out_.end_ns[work.call]};
    if (end.new_ns == kNotReplayed) {  // the call goes on
      const double factor = has_role(work.call, kLaunch) ? effects_.launch_factor : 1;
      end.new_ns = begin.new_ns + scaled(launch.end_ns - launch.begin_ns, factor);
    }
    return moment_of(begin, end, work.start_ns);
  }

  /// The moment of other work that is nearest to a time.
  Moment moment_of_work(const Work& work, std::int64_t old_ns) const {
    return moment_of({work.start_ns, out_.start_ns[work.row]}, {work.end_ns, out_.end_ns[work.row]},
                     old_ns);
  }

  std::optional<Moment> work_before(const Work& work) const {
    if (work.before == kNone) return std::nullopt;
    const Work& before = recording_.work[work.before];
    if (before.end_ns <= work.start_ns) {
      return Moment{before.end_ns, streams_[work.stream].last_end_ns};
    }
    return moment_of_work(before, work.start_ns);
  }

  /// The latest moment of work on another stream of the loop.
  std::optional<Moment> work_elsewhere(const Work& work) const {
    std::optional<Moment> latest;
    for (const std::uint32_t track : recording_.loops[work.loop].streams) {
      if (track == work.stream) continue;
      for (const std::uint32_t place : {streams_[track].ended_last, streams_[track].started_last}) {
        if (place == kNone) continue;
        const Moment moment = moment_of_work(recording_.work[place], work.start_ns);
        const bool is_later = !latest || moment.old_ns > latest->old_ns ||
                              (moment.old_ns == latest->old_ns && moment.new_ns > latest->new_ns);
        if (is_later) latest = moment;
      }
    }
    return latest;
  }

  std::int64_t new_start_of(const Work& work) const {
    const std::optional<Moment> launch = launch_of(work);
    const std::optional<Moment> before = work_before(work);
    const auto kind = static_cast<std::size_t>(work.kind);
    std::optional<Moment> cause = before;
    std::int64_t expected_ns = before ? before->old_ns + usual_.after_work[kind] : INT64_MIN;
    if (launch && launch->old_ns + usual_.after_launch[kind] >= expected_ns) {
      cause = launch;
      expected_ns = launch->old_ns + usual_.after_launch[kind];
    }
    if (!cause || work.start_ns - expected_ns > kUnexplained) {
      const std::optional<Moment> other = work_elsewhere(work);
      if (other && (!cause || other->old_ns > cause->old_ns)) {
        cause = other;
      } else if (!launch && threads_[work.loop].now) {
        cause = Moment{work.start_ns, out_.warps[work.loop].at(work.start_ns)};
      }
    }
    if (!cause) return work.start_ns;
    std::int64_t start_ns = cause->new_ns + (work.start_ns - cause->old_ns);
    const auto wait_for = [&](const std::optional<Moment>& moment, std::int64_t usual_ns) {
      if (!moment) return;
      const std::int64_t delay_ns = std::min(work.start_ns - moment->old_ns, usual_ns);
      start_ns = std::max(start_ns, moment->new_ns + delay_ns);
    };
    wait_for(before, usual_.after_work[kind]);
    wait_for(launch, usual_.after_launch[kind]);
    return start_ns;
  }

  void start_work(std::uint32_t place) {
    const Work& work = recording_.work[place];
    const std::int64_t start_ns = new_start_of(work);
    const std::int64_t end_ns =
        start_ns + scaled(work.end_ns - work.start_ns, effects_.work_factor[work.row]);
    out_.start_ns[work.row] = start_ns;
    out_.end_ns[work.row] = end_ns;
    Stream& stream = streams_[work.stream];
    stream.last_end_ns = std::max(stream.last_end_ns, end_ns);
    stream.started_last = place;
    const bool is_last =
        stream.ended_last == kNone || work.end_ns >= recording_.work[stream.ended_last].end_ns;
    if (is_last) stream.ended_last = place;
  }

  const Recording& recording_;
  const Steps& steps_;
  const Effects& effects_;
  UsualDelays usual_;
  std::vector<std::vector<Sleep>> sleeps_;
  std::vector<Thread> threads_;  ///< main threads by loop
  std::vector<Stream> streams_;  ///< by track
  Replayed out_;
};

}  // namespace

Replayed replay(const Run& run, const Recording& recording, const Steps& steps,
                const Effects& effects) {
  return Replay(run, recording, steps, effects).run();
}

}  // namespace tactus::edit_run
