#include "bench/trial/trial.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "bench/timing/timed_calls.h"
#include "bench/trial/call_judge.h"
#include "bench/trial/call_maker.h"
#include "bench/trial/call_series.h"
#include "bench/trial/control_worker.h"
#include "bench/trial/row_notes.h"
#include "bench/trial/trial_scene.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpSeconds = 0.05;
constexpr double kLongestWarmUp = 1;
constexpr double kPauseSeconds = 0.01;  // between rounds, at most
constexpr int kEmptyCalls = 20;
constexpr int kMoreLooks = 5;  // levels of a shared machine last for some seconds
constexpr std::chrono::seconds kBetweenLooks{1};
constexpr int kFewestTwists = 6;       // judged calls on nearly the same inputs
constexpr int kFewestLargeTwists = 2;  // the same for large tensors
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

/// The call of a round that will be judged.
struct Choice {
  MadeCall call;
  std::size_t index = 0;   ///< of its sample
  std::int64_t among = 0;  ///< how many calls it was chosen from
};

/// The course of a trial: checked calls, then rounds of timed ones.
class Trial {
 public:
  Trial(const TrialScene& scene, TrialBlocks& blocks, MeasureMemory& memory, WorkerProcess& worker)
      : scene_(scene),
        blocks_(blocks),
        memory_(memory),
        worker_(worker),
        settings_(scene.in_place ? kSettingsOfLarge : kSettings.size()),
        random_(scene.options().salt ^ private_number()),
        maker_(scene, blocks, worker, random_),
        judge_(scene, blocks, maker_, random_),
        series_(scene, blocks, maker_, judge_, random_) {}

  void run() {
    const bool reference = scene_.candidate.kind == Candidate::Kind::kReference;
    const bool timed = !options().check_only && !reference;
    if (!maker_.open_rooms()) return;
    if (!scene_.on_gpu && ((timed && !look_before_it_is_loaded()) || !maker_.load())) return;
    if (check_draws() && timed) time();
  }

 private:
  const MeasureOptions& options() const { return scene_.options(); }

  /// What a candidate cannot change: it is not there yet.
  bool look_before_it_is_loaded() {
    return maker_.make_empty_requests() && series_.open() && ask_floors();
  }

  bool ask_floors() {
    WorkerRequest request;
    request.kind = WorkerRequest::kFloors;
    request.copied_bytes = scene_.task.copied_bytes;
    const std::optional<WorkerAnswer> answer = maker_.ask(request);
    if (answer) floors_ = *answer;
    return answer.has_value();
  }

  /// The timed calls check more draws.
  bool check_draws() {
    const int seeds = scene_.large ? 1 : std::max(1, options().seeds);
    for (int seed = 0; seed < seeds; ++seed) {
      write_guards(scene_.problem(), scene_.layout, blocks_.drawn);
      draw_tensors(scene_.task.definition, scene_.problem(),
                   tensors_at(scene_.problem(), scene_.layout, blocks_.drawn),
                   options().salt + 1000 * static_cast<std::uint64_t>(seed), options().threads);
      if (!maker_.bring_drawn()) return false;
      MadeCall made;
      if (!maker_.make(CallSetting::kPoisoned, made) || !maker_.collect(made, blocks_.latest) ||
          !judge_.is_right({.made = made,
                            .after = blocks_.latest,
                            .inputs_too = true,
                            .work = options().check_work})) {
        return false;
      }
      std::swap(blocks_.latest, blocks_.decoy);
      if (!maker_.rooms().keep_decoy())
        return maker_.lost("the memory of its process cannot be written");
    }
    return true;
  }

  bool time() {
    if (!warm_up()) return false;
    // On a GPU by the same clock as the calls, and the first ones decide which that is.
    if (scene_.on_gpu && !ask_floors()) return false;
    // The machine may have changed its speed in the middle, which looks like a false clock: what
    // only times show has to show again, beside a worker without a candidate that has to bear the
    // same. Calls of the first look do not count then.
    if (!time_once()) return false;
    if (!what_is_odd().empty()) {
      watch_beside();
      bool timed = time_once();
      std::string odd = timed ? what_is_odd() : "";
      // On a GPU nothing runs beside. There the machine gets time to be again as it was when it was
      // asked without calls: a kernel that hides work does so each time.
      for (int look = 0; look < kMoreLooks && timed && clock_is_odd(); ++look) {
        std::this_thread::sleep_for(kBetweenLooks);
        timed = time_once();
        odd = timed ? what_is_odd() : "";
      }
      watch_no_more();
      if (!timed) return false;
      if (!odd.empty()) return scene_.broke(odd + std::string(hint()));
    }
    if (!without_leftovers()) return false;
    report_calls(calls_, floors_, scene_.row);
    if (!last_.answer.caveat.empty()) {
      note_row(scene_.row, last_.answer.caveat);
      note_turns_of_others(scene_.row);
    }
    return note_memory_of_calls();
  }

  void watch_beside() {
    if (!scene_.on_gpu) {
      control_ = ControlWorker::start(scene_, blocks_, memory_, worker_, random_);
    }
    series_.compare_with(control_ ? &control_->series() : nullptr);
  }

  /// Without it, requests are compared with those before the candidate was loaded.
  void watch_no_more() {
    series_.compare_with(nullptr);
    control_.reset();
  }

  bool time_once() {
    calls_ = {};
    keys_.clear();
    sums_ = {};
    series_.forget();
    for (RequestTimes& requests : requests_) requests.with_ns.clear();
    spent_s_ = 0;
    begin_ = Clock::now();
    while (take_round() && take_series() && (!judged_enough() || must_be_sure())) {
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::min(kPauseSeconds, options().stop.seconds / 20)));
    }
    return scene_.row.status == BenchStatus::kOk && take_more_series() && judge_last();
  }

  /// What the times of the calls say about work that was not timed; empty if nothing does.
  std::string what_is_odd() const {
    std::string odd = audited_stand_out(calls_);
    if (odd.empty() && !scene_.on_gpu) odd = work_after_return(calls_);
    if (odd.empty() && !scene_.on_gpu) odd = work_outside(calls_, maker_.empty_ns());
    if (odd.empty()) odd = series_disagree(calls_, series_.times());
    if (odd.empty() && scene_.on_gpu) odd = work_after_end(calls_, floors_.tail_floor_ns);
    // Libraries that Python loads have threads of their own.
    if (odd.empty() && scene_.on_gpu && scene_.candidate.kind != Candidate::Kind::kPython) {
      odd = busy_threads(calls_, seconds_from(begin_));
    }
    if (odd.empty() && clock_is_odd()) odd = clocks_disagree(calls_, requests_);
    return odd;
  }

  bool clock_is_odd() const { return scene_.on_gpu && !clocks_disagree(calls_, requests_).empty(); }

  std::string_view hint() const {
    if (scene_.on_gpu || scene_.candidate.kind != Candidate::Kind::kPython) return {};
    return "; threads of a library that wait busily look the same: try --threads 1";
  }

  /// False if the process is not what it was.
  bool without_leftovers() {
    const WorkerProcess& worker = maker_.worker();
    if (!worker.stayed_stopped()) {
      return scene_.broke("its process continued between calls, when only the judge may work");
    }
    if (worker.has_children()) {
      return scene_.broke("it has started processes that still run after `run` has returned");
    }
    return worker.has_its_line() ||
           scene_.broke("it has replaced the connection of its process to the judge");
  }

  /// Of slow calls on large tensors, one on nearly the same inputs must do.
  bool judged_enough() const {
    const bool slow = spent_s_ > 4 * options().stop.seconds;
    const int twists = !scene_.large ? kFewestTwists : slow ? 1 : kFewestLargeTwists;
    const auto taken = static_cast<std::int64_t>(calls_.sampled.samples_ns.size());
    return (judge_.judged_twists() >= twists || taken >= options().stop.at_most) &&
           enough_calls(options().stop, calls_, spent_s_);
  }

  /// Beside another worker, until all of the interval of what its requests cost more says the same.
  bool must_be_sure() const {
    constexpr std::size_t kSurely = 60;  // calls: of so many a median is not chance
    constexpr double kTimesBudget = 10;
    return calls_.sampled.samples_ns.size() < kSurely &&
           spent_s_ < kTimesBudget * options().stop.seconds && work_outside_is_doubtful(calls_);
  }

  /// On a GPU until its clock stays the same and threads of libraries that were just loaded are
  /// quiet, too.
  bool warm_up() {
    if (scene_.in_place) return true;  // the checked call was long enough
    const Clock::time_point begin = Clock::now();
    double passed = 0;
    bool steady = true;
    do {
      const Clock::time_point turn = Clock::now();
      TimedCalls calls;
      MadeCall made;
      do {
        if (!maker_.make(settings_.next(random_), made)) return false;
        calls.add(made.answer.clocked);
      } while (seconds_from(turn) < kWarmUpSeconds);
      passed = seconds_from(begin);
      if (!scene_.on_gpu) return true;
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
      if (!maker_.make(settings_.next(random_), made, WorkerRequest::kNothing)) return false;
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
      if (!make_timed()) return false;
      ++taken;
      const auto slot = scene_.large ? 0 : index_of(last_.setting);
      Choice& choice = choices[slot];
      if (random_.below(++choice.among) != 0) continue;
      if (!maker_.collect(last_, outputs_of(slot))) return false;
      choice.call = last_;
      choice.index = calls_.sampled.samples_ns.size() - 1;
    } while (!scene_.in_place && taken < rule.round_samples() &&
             seconds_from(begin) < rule.round_seconds() &&
             static_cast<std::int64_t>(calls_.sampled.samples_ns.size()) < rule.at_most);
    spent_s_ += seconds_from(begin);
    for (std::size_t slot = 0; slot < choices.size(); ++slot) {
      if (choices[slot].among == 0) continue;
      calls_.audited[choices[slot].index] = true;
      if (!judge_.is_right({.made = choices[slot].call,
                            .after = outputs_of(slot),
                            .work = options().check_work * kShareOfAudit,
                            .when = kInLoop})) {
        return false;
      }
    }
    return true;
  }

  /// On a busy machine a series may take longer than it has to, so there are more if all did.
  bool take_series() {
    constexpr std::size_t kMost = 40;
    const std::size_t taken = series_.times().series.size();
    const bool agrees = taken > 0 && series_disagree(calls_, series_.times()).empty();
    if (scene_.on_gpu || agrees || taken >= kMost) return true;
    const std::vector<double>& times = calls_.sampled.samples_ns;
    const double said = median_interval(times).median;
    std::vector<InputKey> keys;  // of the calls that make the median what it is
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] <= said) keys.push_back(keys_[i]);
    }
    const double hidden =
        median_interval(calls_.outside_ns).median - median_interval(maker_.empty_ns()).median;
    return series_.take(said, std::max(hidden, 0.0), keys);
  }

  /// Until one agrees.
  bool take_more_series() {
    while (true) {
      const std::size_t taken = series_.times().series.size();
      if (!take_series()) return false;
      if (series_.times().series.size() == taken) return true;
    }
  }

  /// One more call, which may be any: it is read with its inputs.
  bool judge_last() {
    if (!make_timed() || !maker_.collect(last_, blocks_.latest)) return false;
    calls_.audited.back() = true;
    return judge_.is_right({.made = last_,
                            .after = blocks_.latest,
                            .inputs_too = true,
                            .work = options().check_work * kShareOfAudit,
                            .when = kInLoop});
  }

  bool make_timed() {
    if (!maker_.make(settings_.next(random_), last_)) return false;
    keep(last_);
    if (control_ && !control_->ask_beside(last_.setting, calls_.beside)) {
      watch_no_more();
      calls_.beside = {};
    }
    return true;
  }

  void keep(const MadeCall& made) {
    calls_.add(made.answer.clocked);
    keys_.push_back(made.place.key);
    if (!scene_.on_gpu) {
      calls_.outside_ns.push_back(made.outside_ns);
      const double most =
          calls_.sampled.samples_ns.back() * static_cast<double>(most_threads(options()) - 1);
      const double empty = median_interval(maker_.empty_others_ns()).median;
      // By the system's count, threads that only stop and continue seem to help, too.
      const double helped = std::min(made.others_ns - empty, said_help_ns(made.answer.clocked));
      calls_.helped_ns.push_back(std::clamp(helped, 0.0, most));
    }
    requests_[index_of(made.setting)].with_ns.push_back(made.request_ns);
    sums_.heap_growth += made.answer.heap_growth;
    sums_.call_allocations += made.answer.call_allocations;
    sums_.call_page_faults += made.answer.call_page_faults;
  }

  bool note_memory_of_calls() {
    const std::int64_t allowed_growth = scene_.on_gpu ? 65536 : 1024;
    const auto calls = static_cast<std::int64_t>(calls_.sampled.samples_ns.size());
    MemoryOfCalls memory;
    if (sums_.heap_growth > allowed_growth) memory.leaked_bytes = sums_.heap_growth / calls;
    if (scene_.on_gpu) {
      WorkerRequest request;
      request.kind = WorkerRequest::kFloors;
      const std::optional<WorkerAnswer> after = maker_.ask(request);
      if (!after) return false;
      memory.device_bytes = static_cast<std::int64_t>(floors_.device_free_bytes) -
                            static_cast<std::int64_t>(after->device_free_bytes);
    } else {
      const auto per_call = [calls](std::int64_t sum) {
        return static_cast<double>(sum) / static_cast<double>(calls);
      };
      memory.allocations = per_call(sums_.call_allocations);
      memory.page_faults = per_call(sums_.call_page_faults);
    }
    note_memory(scene_.row, memory);
    return true;
  }

  std::byte* outputs_of(std::size_t slot) {
    return scene_.in_place ? blocks_.latest : blocks_.chosen[slot];
  }

  const TrialScene& scene_;
  TrialBlocks& blocks_;
  MeasureMemory& memory_;
  WorkerProcess& worker_;
  SettingsInTurn settings_;
  Random random_;  ///< decides everything that the candidate must not know
  CallMaker maker_;
  CallJudge judge_;
  CallSeries series_;
  std::unique_ptr<ControlWorker> control_;  ///< while something looks odd
  TimedCalls calls_;
  std::vector<InputKey> keys_;                           ///< of their inputs
  std::array<RequestTimes, kSettings.size()> requests_;  ///< by setting
  MadeCall last_;
  WorkerAnswer sums_;
  WorkerAnswer floors_;
  Clock::time_point begin_;  ///< of the timed calls
  double spent_s_ = 0;       ///< in rounds, without judging
};

}  // namespace

void run_trial(const TrialTask& task, const Candidate& candidate, MeasureMemory& memory,
               BenchRow& row) {
  const TrialScene scene(task, candidate, row);
  TrialBlocks blocks;
  if (!take_blocks(scene, memory, blocks)) return;
  Result<WorkerProcess> worker = start_trial_worker(scene);
  if (!worker) return fail_row(row, BenchStatus::kError, worker.error().message);
  Trial(scene, blocks, memory, *worker).run();
  note_prints(row, *worker);
}

}  // namespace tactus
