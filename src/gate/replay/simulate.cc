#include "gate/replay/simulate.h"

#include <algorithm>
#include <array>
#include <map>

#include "gate/policies/policies.h"
#include "gate/replay/device_model.h"

namespace tactus::gate {
namespace {

constexpr std::int64_t kStart = 1'000'000'000;  // policies take 0 for "never"
constexpr std::int64_t kHeartbeat = 10'000'000;
constexpr std::int64_t kNever = INT64_MAX;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMostHeld = 500'000'000;  // in a second, as the agent counts it

std::vector<ClassOutcome> named_classes(const Policy& policy) {
  std::vector<ClassOutcome> out;
  for (const std::string& name : policy.classes) out.emplace_back().name = name;
  return out;
}

/// The mean GPU time of a launch of each class, as agents would measure it; 0: they would not.
std::array<std::uint64_t, kClasses> costs_of(const LaunchTrace& trace, const Policy& policy) {
  std::array<std::int64_t, kClasses> total{};
  std::array<std::int64_t, kClasses> count{};
  std::array<std::uint64_t, kClasses> out{};
  for (const TracedLaunch& launch : trace.launches) {
    const std::size_t c = launch.class_number;
    if (c >= kClasses) continue;
    const bool is_timed =
        launch.is_graph ? (timed_classes(policy) & bit(c)) != 0 : policy.depth[c] != 0;
    if (!is_timed) continue;
    for (std::size_t k = 0; k < launch.kernels; ++k) {
      total[c] += trace.kernels[launch.first_kernel + k].dur_ns;
    }
    ++count[c];
  }
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (count[c] > 0) out[c] = static_cast<std::uint64_t>(total[c] / count[c]);
  }
  return out;
}

/// The class of what a thread launched between two waits: that of the first launch that has one.
class UnitClass {
 public:
  void add(std::size_t class_number) {
    if (class_ == kNoClassNumber) class_ = class_number;
  }
  std::size_t take() { return std::exchange(class_, kNoClassNumber); }

 private:
  std::size_t class_ = kNoClassNumber;
};

class Simulator {
 public:
  Simulator(const LaunchTrace& trace, const Policy& policy, const SimulationOptions& options)
      : trace_(trace),
        policy_(policy),
        options_(options),
        device_(options.sharing, options.slice_ns),
        costs_(costs_of(trace, policy)),
        counted_(counted_classes(policy)),
        ringing_(ringing_classes(policy)),
        decide_at_(kStart) {
    outcome_.classes = named_classes(policy);
    std::int64_t first = kNever;
    for (const TracedThread& thread : trace.threads) {
      first = std::min(first, thread.steps.front().begin_ns);
    }
    for (const TracedThread& thread : trace.threads) {
      Actor actor;
      actor.thread = &thread;
      actor.at_ns = kStart + (thread.steps.front().begin_ns - first);
      for (const ThreadStep& step : thread.steps) {
        if (step.kind != ThreadStep::kLaunch) continue;
        const std::size_t c = trace.launches[step.launch].class_number;
        if (c < kClasses) ++left_[c];
      }
      actors_.push_back(actor);
    }
    // A class with a few units only is something that happens once.
    constexpr std::int64_t kFewUnits = 10;
    for (const ClassOutcome& one : recorded_outcome(trace, policy).classes) {
      ends_run_.push_back(one.units >= kFewUnits);
    }
  }

  Outcome run() {
    while (!is_over()) {
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
  enum class State : unsigned char { kThinks, kWaitsForRoom, kIsHeld, kWaits, kWakes, kIsDone };

  struct Actor {
    const TracedThread* thread = nullptr;
    std::size_t step = 0;
    State state = State::kThinks;
    std::int64_t at_ns = 0;     ///< when it acts, or gives up
    std::int64_t since_ns = 0;  ///< held
    std::int64_t deadline_ns = 0;
    bool has_passed_queue = false;
    std::size_t outstanding = 0;                             ///< jobs
    std::array<std::uint64_t, kClasses> submitted_before{};  ///< of its process, at the wait
    UnitClass unit;
    std::int64_t unit_begin_ns = 0;
    std::int64_t unit_recorded_ns = 0;             ///< when it began in the recording
    std::map<std::size_t, std::int64_t> last_end;  ///< by class
  };

  struct Job {
    std::size_t actor = 0;
    std::size_t class_number = 0;
    std::pair<std::uint32_t, std::uint32_t> stream;
    std::size_t pieces = 0;
    std::int64_t gpu_ns = 0;
  };

  struct ProcessCounts {
    std::array<std::uint64_t, kClasses> submitted{};
    std::array<std::uint64_t, kClasses> done{};
    std::array<std::uint32_t, kClasses> waiting{};
    std::array<std::deque<std::pair<std::int64_t, std::int64_t>>, kClasses> held;  ///< end, length
  };

  bool is_over() const {
    for (std::size_t c = 0; c < ends_run_.size(); ++c) {
      if (ends_run_[c] && left_[c] == 0) return true;
    }
    return false;
  }

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
      }
    }
    for (std::size_t c = 0; c < kClasses; ++c) seen.classes[c].cost_ns = costs_[c];
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
    if (actor.state == State::kThinks) actor.deadline_ns = now_ + policy_.max_hold_ns;
    if (actor.state == State::kIsHeld) {
      if (is_closed(c) && now_ < actor.deadline_ns) {
        actor.at_ns = actor.deadline_ns;  // closed again before it was awake
        return;
      }
      end_hold(actor, c);
      return admit(actor);
    }
    const bool is_full =
        is_limited(c) && !launch.passes && !actor.has_passed_queue && !has_room(actor, launch);
    if (is_full && now_ < actor.deadline_ns) {
      if (actor.state == State::kThinks) ++outcome_.classes[c].queued;
      actor.state = State::kWaitsForRoom;
      actor.at_ns = actor.deadline_ns;
      return;
    }
    actor.has_passed_queue = true;
    if (is_closed(c) && !launch.passes && begin_hold(actor, c)) return;
    admit(actor);
  }

  bool has_room(const Actor& actor, const TracedLaunch& launch) const {
    const auto found = queued_.find({actor.thread->process, launch.stream, launch.class_number});
    return found == queued_.end() ||
           found->second < depth_now(policy_, launch.class_number, costs_[launch.class_number]);
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
      --left_[c];
      ++queued_[{process, launch.stream, c}];
      actor.unit.add(c);
    }
    const auto number = static_cast<std::size_t>(&actor - actors_.data());
    jobs_.push_back({number, c, {process, launch.stream}, launch.kernels, 0});
    ++actor.outstanding;
    for (std::size_t k = 0; k < launch.kernels; ++k) {
      const std::int64_t took = trace_.kernels[launch.first_kernel + k].dur_ns;
      jobs_.back().gpu_ns += took;
      device_.submit(now_, process, launch.stream, jobs_.size() - 1, took);
    }
    actor.has_passed_queue = false;
    go_on(actor);
  }

  /// To the next step, after the time that the host took from this one to it.
  void go_on(Actor& actor) {
    const std::vector<ThreadStep>& steps = actor.thread->steps;
    const ThreadStep& step = steps[actor.step++];
    if (actor.step == steps.size()) {
      actor.state = State::kIsDone;
      return;
    }
    actor.state = State::kThinks;
    const ThreadStep& next = steps[actor.step];
    const std::int64_t from = step.kind == ThreadStep::kWait ? step.end_ns : step.begin_ns;
    actor.at_ns = now_ + std::max<std::int64_t>(next.begin_ns - from, 0);
    if (step.kind != ThreadStep::kWait || next.kind != ThreadStep::kLaunch) return;
    if (actor.thread->is_paced && actor.unit_recorded_ns != 0) {
      const std::int64_t due = actor.unit_begin_ns + (next.begin_ns - actor.unit_recorded_ns);
      actor.at_ns = std::max(due, now_ + actor.thread->shortest_gap_ns);
    }
    actor.unit_begin_ns = actor.at_ns;
    actor.unit_recorded_ns = next.begin_ns;
  }

  void finish(std::size_t number) {
    Job& job = jobs_[number];
    if (--job.pieces > 0) return;
    Actor& actor = actors_[job.actor];
    if (job.class_number < kClasses) {
      --queued_[{job.stream.first, job.stream.second, job.class_number}];
      outcome_.classes[job.class_number].gpu_ns += job.gpu_ns;
    }
    // Room for whoever waits for it.
    for (Actor& other : actors_) {
      if (other.state == State::kWaitsForRoom && has_room(other, launch_of(other))) {
        other.at_ns = now_;
      }
    }
    if (--actor.outstanding == 0 && actor.state == State::kWaits) wake(actor);
  }

  const LaunchTrace& trace_;
  const Policy& policy_;
  const SimulationOptions& options_;
  DeviceModel device_;
  std::array<std::uint64_t, kClasses> costs_;
  std::uint32_t counted_;
  std::uint32_t ringing_;
  std::int64_t now_ = kStart;
  std::int64_t decide_at_;
  PolicyState state_;
  Decision decision_;
  std::vector<Actor> actors_;
  std::vector<Job> jobs_;
  std::map<std::uint32_t, ProcessCounts> processes_;
  /// Launches on the device, by process, stream and class.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::uint32_t> queued_;
  std::array<std::int64_t, kClasses> left_{};
  std::vector<bool> ends_run_;
  Outcome outcome_;
};

}  // namespace

Outcome recorded_outcome(const LaunchTrace& trace, const Policy& policy) {
  Outcome out;
  out.classes = named_classes(policy);
  std::int64_t first = kNever;
  std::int64_t last = 0;
  for (const TracedThread& thread : trace.threads) {
    UnitClass unit;
    std::map<std::size_t, std::int64_t> last_end;
    for (const ThreadStep& step : thread.steps) {
      first = std::min(first, step.begin_ns);
      last = std::max(last, step.end_ns);
      if (step.kind == ThreadStep::kLaunch) {
        const std::size_t c = trace.launches[step.launch].class_number;
        unit.add(c);
        if (c < out.classes.size()) ++out.classes[c].launches;
        continue;
      }
      const std::size_t c = unit.take();
      if (c >= out.classes.size()) continue;
      const auto [at, is_first] = last_end.try_emplace(c, step.end_ns);
      if (!is_first) out.classes[c].between_ns.push_back(step.end_ns - at->second);
      at->second = step.end_ns;
      ++out.classes[c].units;
    }
  }
  out.took_ns = std::max<std::int64_t>(last - first, 0);
  return out;
}

Outcome simulate(const LaunchTrace& trace, const Policy& policy, const SimulationOptions& options) {
  if (trace.threads.empty()) return {};
  return Simulator(trace, policy, options).run();
}

Simulation simulate_run(const LaunchTrace& trace, const Policy& policy,
                        const SimulationOptions& options) {
  Policy open = policy;
  open.kind = PolicyKind::kOpen;
  open.depth = {};
  return {.policy = std::string(name_of(policy.kind)),
          .sharing = options.sharing,
          .recorded = recorded_outcome(trace, policy),
          .open = simulate(trace, open, options),
          .gated = simulate(trace, policy, options)};
}

}  // namespace tactus::gate
