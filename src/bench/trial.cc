#include "bench/trial.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "bench/call_settings.h"
#include "bench/checking/judge.h"
#include "bench/checking/survivors.h"
#include "bench/device/device.h"
#include "bench/diagnosis/diagnose.h"
#include "bench/row_notes.h"
#include "bench/timing/ticks.h"
#include "bench/timing/timed_calls.h"
#include "bench/worker/host_rooms.h"
#include "bench/worker/rooms.h"
#include "bench/worker/worker.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpSeconds = 0.05;
constexpr double kLongestWarmUp = 1;
constexpr double kPauseSeconds = 0.01;  // between rounds, at most
constexpr int kEmptyCalls = 20;
constexpr int kEmptyLargeCalls = 3;
constexpr int kFewestTwists = 6;            // judged calls on nearly the same inputs
constexpr int kFewestLargeTwists = 2;       // the same for large tensors
constexpr double kShareOfAudit = 1.0 / 16;  // of the work of a check
constexpr std::string_view kInLoop = ", in a call inside the timed loop";

double seconds_from(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Nobody outside this process can know it.
std::uint64_t private_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) {
    number = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  }
  return number;
}

/// One call: what its inputs and outputs were made of, and what came of it.
struct MadeCall {
  Rooms::Place place;
  CallSetting setting = CallSetting::kPoisoned;
  WorkerAnswer answer;
  double request_ns = 0;  ///< by our clock
  double outside_ns = 0;  ///< processor time of the request that is not of the call
};

/// The call of a round that will be judged.
struct Choice {
  MadeCall call;
  std::size_t index = 0;   ///< of its sample
  std::int64_t among = 0;  ///< how many calls it was chosen from
};

/// Units that nearly the same inputs make different, as far as units follow the order of a tensor.
std::vector<std::int64_t> twisted_units(const OperatorDefinition& definition,
                                        const Problem& problem, InputKey key) {
  std::vector<std::int64_t> units;
  const std::int64_t count = definition.units(problem);
  for (const TensorSpec& spec : problem.inputs) {
    const NumberRange range = twisted_range(spec, key);
    if (range.count == 0) continue;
    const double at = static_cast<double>(range.first) / static_cast<double>(spec.elements());
    units.push_back(static_cast<std::int64_t>(at * static_cast<double>(count)));
  }
  return units;
}

class Trial {
 public:
  Trial(const TrialTask& trial, const Candidate& candidate, MeasureMemory& memory, BenchRow& row)
      : trial_(trial),
        candidate_(candidate),
        on_gpu_(candidate.device == TACTUS_CUDA),
        layout_(layout_of(trial.problem)),
        large_(is_large(layout_)),
        in_place_(large_ && !on_gpu_),
        settings_(in_place_ ? kSettingsOfLarge : kSettings.size()),
        memory_(memory),
        row_(row),
        random_(trial.options.salt ^ private_number()) {}

  void run() {
    if (!fits() || !take_memory()) return;
    Result<WorkerProcess> started = WorkerProcess::start_anew();
    if (!started) return fail_row(row_, BenchStatus::kError, started.error().message);
    worker_ = &*started;
    const Result<Frame> ready =
        worker_->ask(frame_of(SentTask{.operator_name = std::string(trial_.definition.name),
                                       .shape = trial_.problem.shape,
                                       .candidate = candidate_,
                                       .threads = options().threads}),
                     options().patience_s);
    if (!ready) return fail_row(row_, BenchStatus::kError, ready.error().message);
    if (open()) {
      const bool timed =
          !trial_.options.check_only && candidate_.kind != Candidate::Kind::kReference;
      if (check_draws() && timed) time();
    }
    note_prints(row_, *worker_);
  }

 private:
  const MeasureOptions& options() const { return trial_.options; }

  bool fits() {
    double outputs = 0;
    for (const TensorSpec& output : trial_.problem.outputs) {
      outputs += static_cast<double>(output.bytes());
    }
    // Drawn and audited inputs here, the rooms there, and outputs: the latest, the chosen, a decoy.
    const double rooms =
        on_gpu_ ? 0 : static_cast<double>(plan_rooms(layout_, candidate_.device).count);
    const double wanted =
        static_cast<double>(layout_.bytes) * (rooms + (in_place_ ? 1 : 2)) + 3 * outputs;
    const std::unique_ptr<TimedDevice> host = make_cpu_device(1);
    const std::size_t kept = memory_.drawn.bytes() + memory_.audited.bytes();
    const double there = 0.9 * static_cast<double>(host->free_bytes() + kept);
    if (wanted <= there) return true;
    fail_row(
        row_, BenchStatus::kSkipped,
        fmt::format("needs {:.1f} GB of memory, {:.1f} GB are free", wanted / 1e9, there / 1e9));
    return false;
  }

  bool take_memory() {
    using Needed = std::pair<KeptBlock*, std::byte**>;
    std::vector<Needed> needed = {
        {&memory_.drawn, &drawn_}, {&memory_.latest, &latest_}, {&memory_.decoy, &decoy_}};
    if (!in_place_) {
      needed.emplace_back(&memory_.audited, &audited_);
      for (std::size_t i = 0; i < chosen_.size(); ++i) {
        needed.emplace_back(&memory_.chosen[i], &chosen_[i]);
      }
    }
    for (const auto& [block, into] : needed) {
      const Result<std::byte*> memory = block->of(layout_.bytes);
      if (!memory) {
        fail_row(row_, BenchStatus::kSkipped, memory.error().message);
        return false;
      }
      *into = *memory;
    }
    if (in_place_) audited_ = drawn_;
    return true;
  }

  std::optional<WorkerAnswer> ask(const WorkerRequest& request) {
    return ask_worker(row_, *worker_, request, options().patience_s);
  }

  /// A missing operator is detected before any input is drawn.
  bool load() { return ask({}).has_value(); }

  bool open() {
    WorkerRequest request;
    if (on_gpu_ && !load()) return false;
    const RoomPlan plan = plan_rooms(layout_, candidate_.device);
    request.kind = WorkerRequest::kRooms;
    request.count = plan.count;
    request.bytes = plan.bytes;
    const std::optional<WorkerAnswer> answer = ask(request);
    if (!answer) return false;
    if (answer->rooms.empty()) return broke("it has no memory for the tensors");
    if (on_gpu_) {
      rooms_ = make_gpu_rooms(trial_.problem, layout_, *worker_, answer->rooms, answer->staging,
                              options().patience_s, options().threads);
    } else {
      rooms_ = std::make_unique<HostRooms>(trial_.problem, layout_, RemoteMemory(worker_->pid()),
                                           answer->rooms, options().threads);
    }
    if (on_gpu_) return true;
    return (options().check_only || make_empty_requests()) && load();
  }

  /// What a request costs while no code of the candidate is there. The inputs do not matter.
  bool make_empty_requests() {
    if (!rooms_->bring(drawn_)) return lost("the memory of its process cannot be written");
    MadeCall made;
    for (int i = 0; i < (large_ ? kEmptyLargeCalls : kEmptyCalls); ++i) {
      if (!make_call(CallSetting::kPoisoned, made, WorkerRequest::kNothing)) return false;
      empty_ns_.push_back(made.outside_ns);
    }
    return true;
  }

  bool broke(std::string why) {
    fail_row(row_, BenchStatus::kError, std::move(why));
    return false;
  }

  bool wrong(std::string why) {
    fail_row(row_, BenchStatus::kWrong, std::move(why));
    return false;
  }

  /// If the worker cannot be reached, asking it shows how it ended.
  bool lost(std::string_view why) {
    if (ask({})) broke(std::string(why));
    return false;
  }

  /// Nothing of the worker goes on until the next request. Results on a GPU are kept where no code
  /// of the host reaches them.
  bool halt() { return on_gpu_ || worker_->stop() || lost("its process cannot be stopped"); }

  /// One call on inputs that no call has seen.
  bool make_call(CallSetting setting, MadeCall& made,
                 WorkerRequest::Kind kind = WorkerRequest::kCall) {
    made = {.place = {}, .setting = setting, .answer = {}, .request_ns = 0, .outside_ns = 0};
    std::optional<Rooms::Place> used;
    if (stays(setting)) used = rooms_->used_place(random_, setting == CallSetting::kTwisted);
    if (stays(setting) && !used) made.setting = CallSetting::kPoisoned;
    made.place = used ? *used : rooms_->new_place(random_);
    WorkerRequest request;
    request.kind = kind;
    if (!halt()) return false;
    if (!rooms_->prepare(made.place, {hold_of(made.setting), decoy_}, request)) {
      return lost("the memory of its process cannot be written");
    }
    const auto cpu_before = on_gpu_ ? std::nullopt : worker_->cpu_time();
    const std::uint64_t sent = read_ticks();
    std::optional<WorkerAnswer> answer = ask(request);
    const std::uint64_t received = read_ticks();
    if (!answer || !halt()) return false;
    made.answer = std::move(*answer);
    made.request_ns = static_cast<double>(received - sent) / ticks_per_ns();
    const ClockedCall& clocked = made.answer.clocked;
    const bool outside = clocked.begin_ticks < sent || clocked.end_ticks > received ||
                         clocked.begin_ticks > clocked.end_ticks;
    if ((clocked.begin_ticks != 0 && outside) || clocked.device_ns > made.request_ns) {
      return broke("its clock does not agree with ours");
    }
    const auto cpu_after = on_gpu_ ? std::nullopt : worker_->cpu_time();
    if (cpu_before && cpu_after) {
      const auto ticks = static_cast<double>(clocked.end_ticks - clocked.begin_ticks);
      made.outside_ns =
          outside_the_call_ns(clocked, cpu_after->first_thread_s - cpu_before->first_thread_s,
                              cpu_after->all_s - cpu_before->all_s, ticks / ticks_per_ns(),
                              std::max(options().threads, std::thread::hardware_concurrency()));
    }
    return true;
  }

  /// The outputs of the call that was made last.
  bool collect(const MadeCall& made, std::byte* into) {
    return rooms_->collect(made.place.address, into) ||
           lost("the memory of its process cannot be read");
  }

  /// Judges a call whose outputs are in `after`; `when` says which call. Its inputs are looked at
  /// if it is the last one that was made.
  bool judge_call(const MadeCall& made, std::byte* after, bool inputs_too, double work,
                  std::string_view when) {
    if (!in_place_) rooms_->rebuild(drawn_, made.place.key, audited_);
    const std::string guard = broken_guard(trial_.problem, layout_, after);
    if (!guard.empty()) return wrong(fmt::format("{}{}", guard, when));
    if (inputs_too) {
      const Result<std::string> input = rooms_->changed_input(made.place.address, audited_);
      if (!input) return lost(input.error().message);
      if (!input->empty()) return wrong(fmt::format("changed its input {}{}", *input, when));
    }
    const HostTensors inputs = tensors_at(trial_.problem, layout_, audited_);
    const HostTensors outputs = tensors_at(trial_.problem, layout_, after);
    const CheckedOutputs judgement =
        judge(trial_.definition, trial_.problem, inputs, outputs, work, random_.next(),
              options().threads, twisted_units(trial_.definition, trial_.problem, made.place.key));
    record_judgement(trial_.definition, trial_.problem, inputs, outputs, judgement, row_);
    if (!judgement.right) {
      return wrong(fmt::format("{}{} ({} of {} numbers)", judgement.first, when, judgement.wrong,
                               judgement.checked));
    }
    if (made.setting == CallSetting::kTwisted) ++judged_twists_;
    if (stays(made.setting)) return true;  // most results are the same as before
    const Prefill prefill = {.decoy = made.setting == CallSetting::kDecoy ? decoy_ : nullptr};
    const std::string survivor = surviving_prefill(trial_.problem, layout_, after, prefill,
                                                   trial_.definition.may_stay, options().threads);
    if (survivor.empty()) return true;
    // A row that the key moved to where it was before has the result that it had. A number that is
    // right for these inputs is no survivor, so all of them are compared, as far as that is quick.
    constexpr double kQuick = 2e10;  // multiplications, about ten seconds
    const double whole = static_cast<double>(trial_.definition.units(trial_.problem)) *
                         trial_.definition.unit_work(trial_.problem);
    if (prefill.decoy != nullptr && whole <= kQuick &&
        judge(trial_.definition, trial_.problem, inputs, outputs, 2 * kQuick, random_.next(),
              options().threads)
            .right) {
      return true;
    }
    if (prefill.decoy == nullptr) {
      row_.failure = diagnose_unwritten(trial_.definition, trial_.problem, inputs, outputs);
    }
    return wrong(fmt::format("{}{}", survivor, when));
  }

  /// The timed calls check more draws.
  bool check_draws() {
    const int seeds = large_ ? 1 : std::max(1, options().seeds);
    for (int seed = 0; seed < seeds; ++seed) {
      write_guards(trial_.problem, layout_, drawn_);
      draw_tensors(trial_.definition, trial_.problem, tensors_at(trial_.problem, layout_, drawn_),
                   options().salt + 1000 * static_cast<std::uint64_t>(seed), options().threads);
      if (!rooms_->bring(drawn_)) return lost("the memory of its process cannot be written");
      MadeCall made;
      if (!make_call(CallSetting::kPoisoned, made) || !collect(made, latest_) ||
          !judge_call(made, latest_, true, options().check_work, "")) {
        return false;
      }
      std::swap(latest_, decoy_);
      if (!rooms_->keep_decoy()) return lost("the memory of its process cannot be written");
    }
    return true;
  }

  bool time() {
    WorkerRequest request;
    request.kind = WorkerRequest::kFloors;
    request.copied_bytes = trial_.copied_bytes;
    const std::optional<WorkerAnswer> floors = ask(request);
    if (!floors || !warm_up()) return false;
    begin_ = Clock::now();
    while (take_round() && !judged_enough()) {
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::min(kPauseSeconds, options().stop.seconds / 20)));
    }
    if (row_.status != BenchStatus::kOk || !judge_last() || !without_tricks(*floors)) return false;
    report_calls(calls_, *floors, row_);
    if (!last_.answer.caveat.empty()) note_row(row_, last_.answer.caveat);
    return note_memory_of_calls(*floors);
  }

  /// False if something about the calls shows that not all their work was timed.
  bool without_tricks(const WorkerAnswer& floors) {
    std::string odd = audited_stand_out(calls_);
    if (odd.empty() && !on_gpu_) odd = work_after_return(calls_);
    if (odd.empty() && !on_gpu_) odd = work_outside(calls_, empty_ns_);
    if (odd.empty() && !worker_->stayed_stopped()) {
      odd = "its process continued between calls, when only the judge may work";
    }
    if (!odd.empty() && !on_gpu_ && candidate_.kind == Candidate::Kind::kPython) {
      odd += "; threads of a library that wait busily look the same: try --threads 1";
    }
    if (odd.empty() && on_gpu_) odd = work_after_end(calls_, floors.tail_floor_ns);
    // Libraries that Python loads have threads of their own.
    if (odd.empty() && on_gpu_ && candidate_.kind != Candidate::Kind::kPython) {
      odd = busy_threads(calls_, seconds_from(begin_));
    }
    if (odd.empty() && on_gpu_) odd = clocks_disagree(calls_, requests_);
    if (odd.empty() && worker_->has_children()) {
      odd = "it has started processes that still run after `run` has returned";
    }
    if (odd.empty() && !worker_->has_its_line()) {
      odd = "it has replaced the connection of its process to the judge";
    }
    return odd.empty() || broke(odd);
  }

  /// Of slow calls on large tensors, one on nearly the same inputs must do.
  bool judged_enough() const {
    const bool slow = spent_s_ > 4 * options().stop.seconds;
    const int twists = !large_ ? kFewestTwists : slow ? 1 : kFewestLargeTwists;
    const auto taken = static_cast<std::int64_t>(calls_.sampled.samples_ns.size());
    return (judged_twists_ >= twists || taken >= options().stop.at_most) &&
           enough_calls(options().stop, calls_, spent_s_);
  }

  /// On a GPU until its clock stays the same and threads of libraries that were just loaded are
  /// quiet, too.
  bool warm_up() {
    if (in_place_) return true;  // the checked call was long enough
    const Clock::time_point begin = Clock::now();
    double passed = 0;
    bool steady = true;
    do {
      const Clock::time_point turn = Clock::now();
      TimedCalls calls;
      MadeCall made;
      do {
        if (!make_call(settings_.next(random_), made)) return false;
        calls.add(made.answer.clocked);
      } while (seconds_from(turn) < kWarmUpSeconds);
      passed = seconds_from(begin);
      if (!on_gpu_) return true;
      const std::vector<double>& mhz = calls.sm_clocks_mhz;
      steady = busy_threads(calls, seconds_from(turn)).empty() &&
               std::adjacent_find(mhz.begin(), mhz.end(), std::not_equal_to<>()) == mhz.end();
    } while (!steady && passed < kLongestWarmUp);
    return make_empty_calls();
  }

  /// How long a request takes by our clock if nothing is called.
  bool make_empty_calls() {
    MadeCall made;
    for (int i = 0; i < kEmptyCalls; ++i) {
      if (!make_call(settings_.next(random_), made, WorkerRequest::kNothing)) return false;
      requests_[index_of(made.setting)].without_ns.push_back(made.request_ns);
    }
    return true;
  }

  /// Of the calls of a round with the same setting, each is the audited one with the same
  /// probability; of large tensors one of the whole round. Which one it is, is decided after the
  /// call, so nothing about it can depend on that. If tensors change in place, a round is one call.
  bool take_round() {
    const Clock::time_point begin = Clock::now();
    const StopRule& rule = options().stop;
    calls_.sampled.begin_round();
    std::array<Choice, kSettings.size()> choices;
    std::int64_t taken = 0;
    do {
      if (!make_call(settings_.next(random_), last_)) return false;
      keep(last_);
      ++taken;
      const auto slot = large_ ? 0 : index_of(last_.setting);
      Choice& choice = choices[slot];
      if (random_.below(++choice.among) != 0) continue;
      if (!collect(last_, in_place_ ? latest_ : chosen_[slot])) return false;
      choice.call = last_;
      choice.index = calls_.sampled.samples_ns.size() - 1;
    } while (!in_place_ && taken < rule.round_samples() &&
             seconds_from(begin) < rule.round_seconds() &&
             static_cast<std::int64_t>(calls_.sampled.samples_ns.size()) < rule.at_most);
    spent_s_ += seconds_from(begin);
    for (std::size_t slot = 0; slot < choices.size(); ++slot) {
      if (choices[slot].among == 0) continue;
      calls_.audited[choices[slot].index] = true;
      if (!judge_call(choices[slot].call, in_place_ ? latest_ : chosen_[slot], false,
                      options().check_work * kShareOfAudit, kInLoop)) {
        return false;
      }
    }
    return true;
  }

  /// One more call, which may be any: it is read with its inputs.
  bool judge_last() {
    if (!make_call(settings_.next(random_), last_) || !collect(last_, latest_)) return false;
    keep(last_);
    calls_.audited.back() = true;
    return judge_call(last_, latest_, true, options().check_work * kShareOfAudit, kInLoop);
  }

  void keep(const MadeCall& made) {
    calls_.add(made.answer.clocked);
    if (!on_gpu_) calls_.outside_ns.push_back(made.outside_ns);
    requests_[index_of(made.setting)].with_ns.push_back(made.request_ns);
    sums_.heap_growth += made.answer.heap_growth;
    sums_.call_allocations += made.answer.call_allocations;
    sums_.call_page_faults += made.answer.call_page_faults;
  }

  bool note_memory_of_calls(const WorkerAnswer& floors) {
    const std::int64_t allowed_growth = on_gpu_ ? 65536 : 1024;
    const auto calls = static_cast<std::int64_t>(calls_.sampled.samples_ns.size());
    MemoryOfCalls memory;
    if (sums_.heap_growth > allowed_growth) memory.leaked_bytes = sums_.heap_growth / calls;
    if (on_gpu_) {
      WorkerRequest request;
      request.kind = WorkerRequest::kFloors;
      const std::optional<WorkerAnswer> after = ask(request);
      if (!after) return false;
      memory.device_bytes = static_cast<std::int64_t>(floors.device_free_bytes) -
                            static_cast<std::int64_t>(after->device_free_bytes);
    } else {
      const auto per_call = [calls](std::int64_t sum) {
        return static_cast<double>(sum) / static_cast<double>(calls);
      };
      memory.allocations = per_call(sums_.call_allocations);
      memory.page_faults = per_call(sums_.call_page_faults);
    }
    note_memory(row_, memory);
    return true;
  }

  const TrialTask& trial_;
  const Candidate& candidate_;
  const bool on_gpu_;
  TensorLayout layout_;
  const bool large_;
  const bool in_place_;  ///< there is one room, and what was drawn changes with it
  SettingsInTurn settings_;
  MeasureMemory& memory_;
  BenchRow& row_;
  Random random_;  ///< decides everything that the candidate must not know
  WorkerProcess* worker_ = nullptr;
  std::unique_ptr<Rooms> rooms_;
  std::byte* drawn_ = nullptr;
  std::byte* audited_ = nullptr;  ///< the same as `drawn_` if that changes
  std::byte* latest_ = nullptr;
  std::array<std::byte*, kSettings.size()> chosen_ = {};
  std::byte* decoy_ = nullptr;
  TimedCalls calls_;
  std::array<RequestTimes, kSettings.size()> requests_;  ///< by setting
  std::vector<double> empty_ns_;                         ///< see work_outside()
  MadeCall last_;
  int judged_twists_ = 0;
  WorkerAnswer sums_;
  Clock::time_point begin_;  ///< of the timed calls
  double spent_s_ = 0;       ///< in rounds, without judging
};

}  // namespace

void run_trial(const TrialTask& task, const Candidate& candidate, MeasureMemory& memory,
               BenchRow& row) {
  Trial(task, candidate, memory, row).run();
}

}  // namespace tactus
