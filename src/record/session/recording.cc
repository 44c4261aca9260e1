#include "record/session/recording.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "record/session/process_warnings.h"

namespace tactus::record {
namespace {

constexpr std::int64_t kCommitNs = std::chrono::nanoseconds(kCommit).count();
/// A finished file is a little larger than what was appended.
constexpr std::uint64_t kRoomForIndex = 64 << 10;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

Recording::Recording(OutputFile file, Targets& targets, HostPart& host, const Wishes& wishes)
    : targets_(targets),
      host_(host),
      wishes_(wishes),
      writer_(std::move(file), 1),
      filler_(builder_, clock_, host_name()),
      sources_(builder_, clock_.origin_ns(), host_name()),
      host_filler_(builder_, sources_, clock_),
      truths_(builder_, clock_.origin_ns(), host_name()),
      steps_(clock_) {
  filler_.share_sources(sources_);
  builder_.run().origin_ns = clock_.origin_ns();
  writer_.sync_every(kCommit);
}

void Recording::say_mode() {
  if (wishes_.activities || !filler_.accounts().empty()) return;
  builder_.remark(
      "recorded in light mode: launches, copies, waits and allocations of every call, and GPU "
      "times of steps and graphs; single kernels have no times");
}

void Recording::start_meters(double hz) {
  if (hz <= 0) return;
  Result<MeterFiller> started = MeterFiller::start(hz, builder_, clock_.origin_ns(), host_name());
  if (started) meters_.emplace(std::move(*started));
  if (!started) builder_.warn("no meters: " + started.error().message);
}

Status Recording::begin_file() {
  return backlog_ ? Status() : writer_.append_and_forget(builder_.run());
}

Status Recording::commit() {
  take_batch();
  if (backlog_) return {};
  add_injections(0);
  const std::uint64_t before = writer_.bytes();
  Status status = writer_.append_and_forget(builder_.run());
  last_commit_bytes_ = writer_.bytes() - before;
  return status;
}

Status Recording::finish(bool with_rest) {
  host_.stop();
  if (meters_) meters_->stop();
  if (with_rest) take_batch();
  std::int64_t from_ns = 0;
  if (backlog_) {
    const std::deque<Batch> kept = backlog_->take();
    // A batch has what happened since the one before it.
    if (!kept.empty()) from_ns = std::max<std::int64_t>(kept.front().time_ns - kCommitNs, 0);
    for (const Batch& batch : kept) add(batch);
  }
  add_injections(from_ns);
  filler_.finish();
  if (meters_) meters_->finish();
  add_last_words();
  if (Status status = writer_.append_and_forget(builder_.run()); !status) return status;
  return writer_.finish();
}

void Recording::add_injections(std::int64_t from_ns) {
  for (const InjectedTruth& truth : std::exchange(injections_, {})) {
    const std::optional<InjectedTruth> part = part_behind(truth, clock_.origin_ns() + from_ns);
    if (!part) continue;
    truths_.add(*part);
    filler_.skip_rows(1);
    recorded_injections_.push_back(*part);
  }
  for (const Note& note : std::exchange(notes_, {})) truths_.add(note);
}

std::optional<std::int64_t> Recording::launching_process() const {
  for (const ProcessAccount& process : filler_.accounts()) {
    if (process.launches + process.graph_launches > 0) return process.pid;
  }
  return std::nullopt;
}

std::vector<std::pair<std::int64_t, AgentCounts>> Recording::agents() const {
  std::vector<std::pair<std::int64_t, AgentCounts>> agents;
  for (const auto& [number, target] : live_) {
    agents.emplace_back(target->pid, target->memory.counts());
  }
  return agents;
}

std::uint64_t Recording::kernels() const {
  std::uint64_t kernels = 0;
  for (const ProcessAccount& process : filler_.accounts()) kernels += process.kernels;
  return kernels;
}

std::uint64_t Recording::room_to_finish() const {
  return kRoomForIndex + 2 * last_commit_bytes_;
}

void Recording::fill(RecordAccount& account) const {
  account.processes = filler_.accounts();
  if (host_.is_on()) account.host = host_filler_.account();
  account.bytes = writer_.bytes();
  account.dropped = builder_.run().dropped;
  account.warnings = builder_.run().warnings;
  account.remarks = builder_.run().remarks;
  account.slices = slices_;
  account.injections = recorded_injections_;
  if (meters_) account.meters = meters_->rates();
}

void Recording::take_batch() {
  clock_.sample();
  Batch batch{.time_ns = clock_.latest_ns(),
              .harvest = targets_.take(),
              .host = host_.take(),
              .samples = meters_ ? meters_->take() : std::vector<meters::MeterSample>()};
  longest_step_ns_ = 0;
  if (!backlog_) {
    add(batch);
    return;
  }
  for (const EndedStep& step : steps_.add(batch)) {
    longest_step_ns_ = std::max(longest_step_ns_, step.dur_ns);
  }
  backlog_->push(std::move(batch), [this](Batch& old) { forget(old); });
}

void Recording::forget(Batch& old) {
  for (Harvest::Part& part : old.harvest.parts) {
    part.records.clear();
    part.activities.clear();
    add(part);
  }
  count_losses(old);
}

void Recording::add(const Batch& batch) {
  for (const Harvest::Part& part : batch.harvest.parts) add(part);
  const std::uint64_t before = host_filler_.account().slices;
  for (const HostEvent& event : batch.host.events) host_filler_.add(event);
  filler_.skip_rows(host_filler_.account().slices - before);
  if (meters_) meters_->add(batch.samples);
  count_losses(batch);
}

void Recording::count_losses(const Batch& batch) {
  lost_ += batch.harvest.lost;
  for (const auto& [number, target] : live_) filler_.update(numbers_[number], target->memory);
  for (std::string& warning : targets_.take_warnings()) builder_.warn(std::move(warning));
  for (std::string& warning : host_.take_warnings()) builder_.warn(std::move(warning));
  filler_.count_losses();
  host_filler_.count_losses(batch.host);
  if (lost_ != 0) builder_.run().dropped["recorder_busy"] = lost_;
}

void Recording::add(const Harvest::Part& part) {
  const Target& target = *part.target;
  const auto [at, is_new] = numbers_.try_emplace(target.number);
  if (is_new) {
    say_mode();
    at->second = filler_.add_process(target.memory, target.pid, target.memory.command());
    live_.emplace(target.number, part.target);
    meter_process(target.pid);
  }
  filler_.expect_activities(at->second, part.has_kernels);
  for (const ThreadRecord& record : part.records) filler_.add(at->second, target.memory, record);
  for (const wire::Activity& activity : part.activities) {
    filler_.add(at->second, target.memory, activity);
  }
  slices_ += part.records.size() + part.activities.size();
  if (!part.is_last) return;
  filler_.update(at->second, target.memory);
  live_.erase(target.number);
}

void Recording::add_last_words() {
  std::uint64_t left_out = 0;
  std::uint64_t names_lost = 0;
  for (const ProcessAccount& process : filler_.accounts()) {
    left_out += process.agent.gpu_times_left_out;
    names_lost += process.agent.names_lost;
  }
  if (left_out != 0) {
    builder_.remark("to stay within --budget, " + std::to_string(left_out) +
                    " GPU times of steps and graphs were not taken");
  }
  if (names_lost != 0) {
    builder_.warn(std::to_string(names_lost) +
                  " names of kernels found no room in the agent; these are called unknown");
  }
  for (const ProcessAccount& process : filler_.accounts()) {
    for (std::string& warning : warnings_of(process, wishes_)) builder_.warn(std::move(warning));
  }
  if (backlog_ && backlog_->was_full()) {
    builder_.warn("memory was too small for --ring; the file begins later (--max-size)");
  }
  if (has_agent_ && filler_.accounts().empty()) {
    builder_.warn(
        "no process used the CUDA driver while it was recorded; one that docker, sudo or a service "
        "manager starts does not get the agent: record it where it is started");
  }
}

}  // namespace tactus::record
