#include "gate/replay/simulate.h"

#include <algorithm>
#include <array>
#include <map>

#include "gate/policies/policies.h"
#include "gate/replay/agent_model.h"
#include "gate/replay/device_model.h"
#include "gate/replay/units.h"

namespace tactus::gate {
namespace {

constexpr std::int64_t kStart = 1'000'000'000;  // policies take 0 for "never"
constexpr std::int64_t kHeartbeat = 10'000'000;
constexpr std::int64_t kNever = INT64_MAX;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kTimerSlack = 50'000;     // Linux ends a nap that much later
constexpr std::int64_t kMostHeld = 500'000'000;  // in a second, as the agent counts it
/// To launch a graph takes as long as to launch a kernel or two. While its kernels are recorded,
/// CUPTI lets them be launched one by one: 0.46 ms for 517 of them on an H200, more than a token
/// without CUPTI has time for.
constexpr std::int64_t kGraphCall = 10'000;

class Simulator {
 public:
  Simulator(const LaunchTrace& trace, const Policy& policy, const SimulationOptions& options)
      : trace_(trace),
        policy_(policy),
        options_(options),
        device_(options.device),
        counted_(counted_classes(policy)),
        ringing_(ringing_classes(policy)),
        timed_(timed_classes(policy)),
        decide_at_(kStart) {
    outcome_.classes = named_classes(policy);
    for (const TracedThread& thread : trace.threads) {
      recorded_start_ns_ = std::min(recorded_start_ns_, thread.steps.front().begin_ns);
    }
    for (const TracedThread& thread : trace.threads) {
      Actor actor;
      actor.thread = &thread;
      actor.at_ns = kStart + (thread.steps.front().begin_ns - recorded_start_ns_);
      actors_.push_back(actor);
    }
    end_ns_ = kStart + recorded_outcome(trace, policy).took_ns;
  }

  Outcome run() {
    while (now_ < end_ns_) {
      const std::int64_t next = next_ns();
      if (next == kNever) break;
      now_ = std::max(now_, next);
      for (const std::size_t job : device_.advance(now_)) finish(job);
      if (now_ >= decide_at_) decide_now();
      for (Actor& actor : actors_) act(actor);
    }
    outcome_.took_ns = now_ - kStart;
    return std::move(outcome_);
  }

 private:
  enum class State : unsigned char {
    kThinks,
    kWaitsForRoom,
    kIsHeld,
    kIsInCall,
    kWaits,
    kWakes,
    kIsDone
  };

  struct Actor {
    const TracedThread* thread = nullptr;
    std::size_t step = 0;
    State state = State::kThinks;
    std::int64_t at_ns = 0;     ///< when it acts, or gives up
    std::int64_t since_ns = 0;  ///< held, or without room
    std::int64_t deadline_ns = 0;
    bool has_passed_queue = false;
    std::uint64_t queue_number = 0;  ///< of its launch, in its queue; 0: not counted there
    std::size_t outstanding = 0;     ///< jobs
    std::array<std::uint64_t, kClasses> submitted_before{};  ///< of its process, at the wait
    UnitClass unit;
    std::int64_t unit_begin_ns = 0;
    std::int64_t unit_recorded_ns = 0;  ///< when it began in the recording
    std::int64_t began_again_ns = 0;
    std::map<std::size_t, std::int64_t> last_end;  ///< by class
  };

  struct Job {
    std::size_t actor = 0;
    std::size_t class_number = 0;
    std::pair<std::uint32_t, std::uint32_t> stream;
    std::size_t pieces = 0;
    std::int64_t gpu_ns = 0;
    std::uint64_t queue_number = 0;
    bool is_timed = false;
    std::int64_t ready_ns = 0;  ///< the first of its stream since then
  };

  struct ProcessCounts {
    std::array<std::uint64_t, kClasses> submitted{};
    std::array<std::uint64_t, kClasses> done{};
    std::array<std::uint32_t, kClasses> waiting{};
    std::array<std::deque<std::pair<std::int64_t, std::int64_t>>, kClasses> held;  ///< end, length
    std::array<LearnedCost, kClasses> costs;
    std::array<GraphClockModel, kClasses> clocks;
    std::map<std::pair<std::uint32_t, std::size_t>, QueueModel> queues;  ///< by stream and class
  };

  std::int64_t next_ns() const {
    std::int64_t next = device_.next_ns().value_or(kNever);
    bool is_busy = next != kNever;
    for (const Actor& actor : actors_) {
      if (actor.state == State::kIsDone || actor.state == State::kWaits) continue;
      next = std::min(next, actor.at_ns);
      is_busy = true;
    }
    return is_busy ? std::min(next, decide_at_) : kNever;
  }

  void decide_now() {
    Seen seen;
    seen.now_ns = now_;
    for (const auto& [process, counts] : processes_) {
      for (std::size_t c = 0; c < kClasses; ++c) {
        seen.classes[c].submitted += counts.submitted[c];
        seen.classes[c].done += counts.done[c];
        seen.classes[c].waiting += counts.waiting[c];
        seen.classes[c].cost_ns = std::max(seen.classes[c].cost_ns, counts.costs[c].ns());
      }
    }
    decision_ = decide(policy_, state_, seen);
    decide_at_ = now_ + kHeartbeat;
    if (decision_.again_at_ns != 0) decide_at_ = std::min(decide_at_, decision_.again_at_ns);
    for (Actor& actor : actors_) {
      if (actor.state != State::kIsHeld) continue;
      if (is_closed(launch_of(actor).class_number)) continue;
      actor.at_ns = std::min(actor.at_ns, now_ + options_.react_ns);
    }
  }

  void ring(std::size_t class_number) {
    if ((ringing_ & bit(class_number)) != 0) {
      decide_at_ = std::min(decide_at_, now_ + options_.react_ns);
    }
  }

  bool is_closed(std::size_t c) const { return c < kClasses && (decision_.closed & bit(c)) != 0; }
  bool is_limited(std::size_t c) const { return c < kClasses && (decision_.limited & bit(c)) != 0; }

  const TracedLaunch& launch_of(const Actor& actor) const {
    return trace_.launches[actor.thread->steps[actor.step].launch];
  }

  void act(Actor& actor) {
    // Several steps may take no time.
    while (actor.state != State::kIsDone && actor.state != State::kWaits && actor.at_ns <= now_) {
      if (actor.state == State::kWakes) {
        end_wait(actor);
      } else if (actor.state == State::kIsInCall) {
        submit(actor);
      } else if (actor.thread->steps[actor.step].kind == ThreadStep::kWait) {
        begin_wait(actor);
      } else {
        pass(actor);
      }
    }
  }

  void begin_wait(Actor& actor) {
    actor.submitted_before = processes_[actor.thread->process].submitted;
    actor.state = State::kWaits;
    if (actor.outstanding == 0) wake(actor);
  }

  void wake(Actor& actor) {
    actor.state = State::kWakes;
    actor.at_ns = now_ + actor.thread->steps[actor.step].wake_ns;
  }

  void end_wait(Actor& actor) {
    ProcessCounts& counts = processes_[actor.thread->process];
    for (std::size_t c = 0; c < kClasses; ++c) {
      if (actor.submitted_before[c] <= counts.done[c]) continue;
      counts.done[c] = actor.submitted_before[c];
      if (counts.done[c] == counts.submitted[c]) ring(c);
    }
    if (const std::size_t c = actor.unit.take(); c < outcome_.classes.size()) {
      ClassOutcome& outcome = outcome_.classes[c];
      const auto [last, is_first] = actor.last_end.try_emplace(c, now_);
      if (!is_first) outcome.between_ns.push_back(now_ - last->second);
      last->second = now_;
      ++outcome.units;
    }
    go_on(actor);
  }

  /// At the gate. A launch that waited for room may find it closed then.
  void pass(Actor& actor) {
    const TracedLaunch& launch = launch_of(actor);
    const std::size_t c = launch.class_number;
    if (actor.state == State::kThinks) begin_pass(actor, launch);
    if (actor.state == State::kIsHeld) {
      if (is_closed(c) && now_ < actor.deadline_ns) {
        actor.at_ns = actor.deadline_ns;  // closed again before it was awake
        return;
      }
      end_hold(actor, c);
      return admit(actor);
    }
    if (!actor.has_passed_queue && is_limited(c)) {
      QueueModel& queue = queue_of(actor, launch);
      const bool is_full = !launch.passes && queue.is_full(depth_of(actor, c), now_);
      if (is_full && now_ < actor.deadline_ns) {
        if (actor.state == State::kThinks) ++outcome_.classes[c].queued;
        if (actor.state == State::kThinks) actor.since_ns = now_;
        actor.state = State::kWaitsForRoom;
        actor.at_ns = actor.deadline_ns;
        return;
      }
      if (is_full) queue.rest(now_);
      actor.queue_number = queue.launch();
    }
    actor.has_passed_queue = true;
    if (is_closed(c) && !launch.passes && begin_hold(actor, c)) return;
    admit(actor);
  }

  void begin_pass(Actor& actor, const TracedLaunch& launch) {
    const std::size_t c = launch.class_number;
    actor.deadline_ns = now_ + policy_.max_hold_ns;
    actor.queue_number = 0;
    if (!is_limited(c)) return;
    LearnedCost& cost = processes_[actor.thread->process].costs[c];
    queue_of(actor, launch).begin_launch(now_, depth_of(actor, c), cost);
  }

  QueueModel& queue_of(const Actor& actor, const TracedLaunch& launch) {
    return processes_[actor.thread->process].queues[{launch.stream, launch.class_number}];
  }

  std::uint32_t depth_of(const Actor& actor, std::size_t c) {
    return depth_now(policy_, c, processes_[actor.thread->process].costs[c].ns());
  }

  bool begin_hold(Actor& actor, std::size_t c) {
    ProcessCounts& counts = processes_[actor.thread->process];
    std::int64_t used = 0;
    std::erase_if(counts.held[c], [&](const auto& one) { return one.first < now_ - kSecond; });
    for (const auto& [end, length] : counts.held[c]) used += length;
    if (used >= kMostHeld) {
      ++outcome_.classes[c].rested;
      return false;
    }
    actor.state = State::kIsHeld;
    actor.since_ns = now_;
    actor.deadline_ns = std::min(actor.deadline_ns, now_ + kMostHeld - used);
    actor.at_ns = actor.deadline_ns;
    ++counts.waiting[c];
    ring(c);
    return actor.at_ns > now_ || (end_hold(actor, c), false);
  }

  void end_hold(Actor& actor, std::size_t c) {
    ProcessCounts& counts = processes_[actor.thread->process];
    const std::int64_t length = now_ - actor.since_ns;
    --counts.waiting[c];
    counts.held[c].emplace_back(now_, length);
    ++outcome_.classes[c].held;
    outcome_.classes[c].held_ns += length;
    if (is_closed(c)) ++outcome_.classes[c].expired;
  }

  void admit(Actor& actor) {
    const TracedLaunch& launch = launch_of(actor);
    const std::size_t c = launch.class_number;
    const std::uint32_t process = actor.thread->process;
    if (c < kClasses) {
      ProcessCounts& counts = processes_[process];
      if ((counted_ & bit(c)) != 0 && counts.submitted[c]++ <= counts.done[c]) ring(c);
      ++outcome_.classes[c].launches;
      actor.unit.add(c);
    }
    actor.has_passed_queue = false;
    actor.state = State::kIsInCall;
    actor.at_ns = now_ + call_ns(launch) + (actor.queue_number != 0 ? kLimitedLaunchNs : 0);
  }

  /// Until the device has it: for the whole call, if it does not begin with it sooner.
  std::int64_t call_ns(const TracedLaunch& launch) const {
    const std::int64_t start = trace_.kernels[launch.first_kernel].start_ns;
    const auto took = std::max<std::int64_t>(std::min(launch.end_ns, start) - launch.begin_ns, 0);
    return is_shortened(launch) ? std::min(took, kGraphCall) : took;
  }

  bool is_shortened(const TracedLaunch& launch) const {
    return launch.is_graph && !options_.is_recorded;
  }

  /// From when on the host computes again; as it was recorded.
  std::int64_t host_from_ns(const ThreadStep& step) const {
    const bool is_wait = step.kind == ThreadStep::kWait;
    if (is_wait || is_shortened(trace_.launches[step.launch])) return step.end_ns;
    return step.begin_ns + call_ns(trace_.launches[step.launch]);
  }

  void submit(Actor& actor) {
    const TracedLaunch& launch = launch_of(actor);
    const std::size_t c = launch.class_number;
    const std::uint32_t process = actor.thread->process;
    const auto number = static_cast<std::size_t>(&actor - actors_.data());
    Job& job = jobs_.emplace_back();
    job.actor = number;
    job.class_number = c;
    job.stream = {process, launch.stream};
    job.pieces = launch.kernels;
    job.queue_number = actor.queue_number;
    job.is_timed =
        launch.is_graph && c < kClasses && (timed_ & bit(c)) != 0 && begin_timing(process, c);
    std::deque<std::size_t>& stream = streams_[job.stream];
    if (stream.empty()) job.ready_ns = now_;
    stream.push_back(jobs_.size() - 1);
    ++actor.outstanding;
    for (std::size_t k = 0; k < launch.kernels; ++k) {
      const std::int64_t took = trace_.kernels[launch.first_kernel + k].dur_ns;
      job.gpu_ns += took;
      device_.submit(now_, process, launch.stream, jobs_.size() - 1, took);
    }
    go_on(actor);
  }

  /// When the recording of a thread ends.
  std::int64_t end_of(const Actor& actor) const {
    return kStart + actor.thread->steps.back().end_ns - recorded_start_ns_;
  }

  /// A thread that is done sooner than it was recorded goes on as behind its first unit, until
  /// then; one with few units did something that happens once.
  bool begin_again(Actor& actor) const {
    const std::optional<std::size_t> first_wait = actor.thread->first_wait();
    // One whose units take no time would begin again for ever.
    if (!first_wait || actor.began_again_ns == now_ || now_ >= end_of(actor)) return false;
    actor.began_again_ns = now_;
    actor.step = *first_wait;
    if (actor.unit_recorded_ns != 0) {
      actor.unit_recorded_ns = actor.thread->steps.front().begin_ns;
    }
    return true;
  }

  /// To the next step, after the time that the host took from this one to it.
  void go_on(Actor& actor) {
    const std::vector<ThreadStep>& steps = actor.thread->steps;
    const bool is_over = actor.step + 1 == steps.size() && !begin_again(actor);
    const bool has_repeated = actor.began_again_ns != 0 && now_ >= end_of(actor);
    if (is_over || (has_repeated && steps[actor.step].kind == ThreadStep::kWait)) {
      actor.state = State::kIsDone;
      return;
    }
    const ThreadStep& step = steps[actor.step++];
    actor.state = State::kThinks;
    const ThreadStep& next = steps[actor.step];
    actor.at_ns = now_ + std::max<std::int64_t>(next.begin_ns - host_from_ns(step), 0);
    if (step.kind != ThreadStep::kWait || next.kind != ThreadStep::kLaunch) return;
    if (actor.thread->is_paced && actor.unit_recorded_ns != 0) {
      const std::int64_t due = actor.unit_begin_ns + (next.begin_ns - actor.unit_recorded_ns);
      actor.at_ns = std::max(due, now_ + actor.thread->shortest_gap_ns);
    }
    actor.unit_begin_ns = actor.at_ns;
    actor.unit_recorded_ns = next.begin_ns;
  }

  bool begin_timing(std::uint32_t process, std::size_t c) {
    ProcessCounts& counts = processes_[process];
    counts.clocks[c].collect(counts.costs[c]);
    return counts.clocks[c].begin(counts.costs[c]);
  }

  /// What the agent's events say when a launch is done.
  void measure(const Job& job) {
    const std::size_t c = job.class_number;
    ProcessCounts& counts = processes_[job.stream.first];
    outcome_.classes[c].gpu_ns += job.gpu_ns;
    if (job.is_timed) counts.clocks[c].end(now_ - job.ready_ns);
    if (job.queue_number == 0) return;
    counts.queues[{job.stream.second, c}].finish(job.queue_number, now_, counts.costs[c]);
  }

  /// A launch that waits for room looks all the time, then between naps.
  std::int64_t next_look(const Actor& actor) const {
    const std::int64_t naps_from = actor.since_ns + wire::kQueueSpinNs;
    if (now_ <= naps_from) return now_;
    const std::int64_t nap = wire::kQueueNapNs + kTimerSlack;
    return naps_from + (now_ - naps_from + nap - 1) / nap * nap;
  }

  void finish(std::size_t number) {
    Job& job = jobs_[number];
    if (--job.pieces > 0) return;
    Actor& actor = actors_[job.actor];
    std::deque<std::size_t>& stream = streams_[job.stream];
    stream.pop_front();
    if (!stream.empty()) jobs_[stream.front()].ready_ns = now_;
    if (job.class_number < kClasses) measure(job);
    // Room for whoever waits for it.
    for (Actor& other : actors_) {
      if (other.state != State::kWaitsForRoom) continue;
      const TracedLaunch& launch = launch_of(other);
      if (!queue_of(other, launch).is_full(depth_of(other, launch.class_number), now_)) {
        other.at_ns = std::min(other.at_ns, next_look(other));
      }
    }
    if (--actor.outstanding == 0 && actor.state == State::kWaits) wake(actor);
  }

  const LaunchTrace& trace_;
  const Policy& policy_;
  const SimulationOptions& options_;
  DeviceModel device_;
  std::uint32_t counted_;
  std::uint32_t ringing_;
  std::uint32_t timed_;
  std::int64_t now_ = kStart;
  std::int64_t decide_at_;
  PolicyState state_;
  Decision decision_;
  std::vector<Actor> actors_;
  std::vector<Job> jobs_;
  std::map<std::uint32_t, ProcessCounts> processes_;
  /// Jobs on the device, by process and stream.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::size_t>> streams_;
  std::int64_t recorded_start_ns_ = kNever;
  std::int64_t end_ns_;
  Outcome outcome_;
};

}  // namespace

Outcome simulate(const LaunchTrace& trace, const Policy& policy, const SimulationOptions& options) {
  if (trace.threads.empty()) return {};
  return Simulator(trace, policy, options).run();
}

}  // namespace tactus::gate
