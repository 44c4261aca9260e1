#include "watch/sources/growing_run.h"

#include <algorithm>
#include <cmath>

#include "cycles/phases/step_annotation.h"

namespace tactus::watch {
namespace {

/// A range that the recorder puts around what a thread launches until it waits.
constexpr std::string_view kRecorderStep = "step";

class GrowingRunSource final : public StepSource {
 public:
  explicit GrowingRunSource(RunFollower follower) : follower_(std::move(follower)) {}

  Result<bool> poll(std::vector<SourcedStep>& into) override {
    const Result<bool> grew = follower_.poll();
    if (!grew) return grew.error();
    std::vector<GrowingSteps::Found> found;
    steps_.take(follower_.run(), found);
    if (Status status = follower_.run().status(); !status) return status.error();
    for (GrowingSteps::Found& of : found) into.push_back({stream_of(of.name, of.rank), of.step});
    return !follower_.is_finished();
  }
  std::chrono::milliseconds interval() const override { return std::chrono::milliseconds(200); }

 private:
  RunFollower follower_;
  GrowingSteps steps_;
};

}  // namespace

std::optional<Step> work_of_name(std::string_view name) {
  const std::optional<StepAnnotation> said = parse_step_annotation(name);
  if (!said) return std::nullopt;
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? static_cast<double>(*value) : NAN;
  };
  Step step{.phase = said->phase};
  step.context = number(said->context);
  if (said->phase == Phase::kDecode) {
    step.sequences = number(said->batch ? said->batch : said->generation_tokens);
    step.prompt_tokens = 0;
  } else {
    step.prompt_tokens = number(said->context_tokens);
    step.sequences = generating(said->batch, said->prompts, said->generation_tokens);
    if (said->batch) step.prompts = std::max(0.0, number(said->batch) - step.sequences);
  }
  return step;
}

const GrowingSteps::Meaning& GrowingSteps::meaning_of(const Run& run, std::int64_t name) {
  const auto [at, is_new] = meanings_.try_emplace(name);
  if (!is_new) return at->second;
  const std::string_view text = run.strings[StringId(static_cast<std::uint64_t>(name))];
  if (text == kRecorderStep) {
    at->second.is_step = true;
  } else if (const std::optional<Step> work = work_of_name(text)) {
    at->second = {.is_step = true, .is_engine = true, .work = *work};
  }
  return at->second;
}

GrowingSteps::Owner& GrowingSteps::owner_of(const Run& run, std::int64_t track) {
  const auto [at, is_new] = owners_.try_emplace(track);
  if (!is_new) return at->second;
  at->second.name = "process";
  const auto index = static_cast<std::size_t>(track);
  if (index >= run.tracks.size() || run.tracks[index].thread.value >= run.threads.size()) {
    return at->second;
  }
  const Thread& thread = run.threads[run.tracks[index].thread.value];
  if (thread.process.value >= run.processes.size()) return at->second;
  const Process& process = run.processes[thread.process.value];
  at->second.name += " " + std::to_string(process.os_pid.value_or(process.number));
  at->second.rank = process.rank;
  at->second.process = static_cast<std::int64_t>(thread.process.value);
  // A second thread that runs steps has a loop of its own, unless they take turns.
  Threads& threads = threads_of_process_[at->second.process];
  if (threads.count++ == 0) {
    threads.name = at->second.name;
  } else {
    at->second.name += " thread " + std::to_string(thread.tid.value);
  }
  return at->second;
}

/// Puts the steps in the order of time, and counts for each process those that overlap.
void GrowingSteps::note_overlaps(std::vector<Taken>& taken) {
  std::stable_sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) {
    return a.found.step.start_ns < b.found.step.start_ns;
  });
  struct Last {
    std::int64_t track = 0;
    double end_ns = 0;
  };
  std::unordered_map<std::int64_t, Last> last_of_process;
  for (const Taken& one : taken) {
    if (one.is_engine) continue;
    const std::int64_t process = owners_.at(one.track).process;
    const auto start = static_cast<double>(one.found.step.start_ns);
    const double end = start + one.found.step.dur_us * 1e3;
    Threads& threads = threads_of_process_[process];
    ++threads.steps;
    const auto [last, is_first] = last_of_process.try_emplace(process);
    if (!is_first && last->second.track != one.track && start < last->second.end_ns) {
      ++threads.overlaps;
    }
    if (is_first || end > last->second.end_ns) last->second = {one.track, end};
  }
}

void GrowingSteps::take(const Run& run, std::vector<Found>& into) {
  const EventTable& slices = run.slices;
  const std::vector<const Column*> launches_of = int_arg_columns(run, slices, "launches");
  std::vector<Taken> taken;
  for (; next_row_ < slices.size(); ++next_row_) {
    // Arguments of one shape are in the order of their slices.
    const auto shape = static_cast<std::size_t>(slices.shape()[next_row_]);
    if (shape >= next_argument_.size()) next_argument_.resize(shape + 1);
    const std::size_t argument = shape == 0 ? 0 : next_argument_[shape]++;
    if (run.kind_of(slices.category()[next_row_]) != SliceKind::kAnnotation) continue;
    const Meaning& meaning = meaning_of(run, slices.name()[next_row_]);
    if (!meaning.is_step) continue;
    const std::int64_t dur = slices.dur()[next_row_];
    if (dur <= 0) continue;
    Step step = meaning.work;
    step.start_ns = run.origin_ns + slices.start()[next_row_];
    step.dur_us = static_cast<double>(dur) / 1e3;
    if (shape < launches_of.size() && launches_of[shape] != nullptr &&
        argument < launches_of[shape]->size()) {
      step.launches = static_cast<double>((*launches_of[shape])[argument]);
    }
    Owner& owner = owner_of(run, slices.track()[next_row_]);
    // Where the engine tells its steps, what else a thread launches until it waits is none.
    owner.has_engine = owner.has_engine || meaning.is_engine;
    if (owner.has_engine && !meaning.is_engine) continue;
    taken.push_back({slices.track()[next_row_], meaning.is_engine, {owner.name, owner.rank, step}});
  }
  note_overlaps(taken);
  for (Taken& one : taken) {
    const Threads& threads = threads_of_process_[owners_.at(one.track).process];
    if (!one.is_engine && threads.take_turns()) one.found.name = threads.name;
    into.push_back(std::move(one.found));
  }
}

Result<std::unique_ptr<StepSource>> growing_run_source(const std::string& path) {
  Result<RunFollower> follower = RunFollower::open(path, 1);
  if (!follower) return follower.error();
  return std::unique_ptr<StepSource>(std::make_unique<GrowingRunSource>(std::move(*follower)));
}

}  // namespace tactus::watch
