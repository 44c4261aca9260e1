#include "record/session/session.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <map>

#include "record/attach/load_agent.h"
#include "record/ring/backlog.h"
#include "record/ring/step_watch.h"
#include "record/session/command.h"
#include "record/session/host_part.h"
#include "record/session/meter_filler.h"
#include "record/session/process_warnings.h"
#include "record/session/processes.h"
#include "record/session/signal_reader.h"
#include "record/session/targets.h"
#include "run/tact/tact_file.h"
#include "wire/segment.h"

namespace tactus::record {
namespace {

using Clock = std::chrono::steady_clock;
/// What a crash of the recorder can lose.
constexpr auto kCommit = std::chrono::milliseconds(200);
/// A finished file is a little larger than what was appended.
constexpr std::uint64_t kRoomForIndex = 64 << 10;
/// What --ring keeps in memory if --max-size says nothing.
constexpr std::size_t kMostBacklog = 512 << 20;
constexpr std::uint64_t kLooksForDrivers = 5;  // [commits]

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// The Run that grows, and its file.
class Recording {
 public:
  Recording(OutputFile file, Targets& targets, HostPart& host, const Wishes& wishes)
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

  void say_mode() {
    if (!has_agent_ || wishes_.activities) return;
    builder_.warn(
        "recorded in light mode: launches, copies, waits and allocations of every call, and GPU "
        "times of steps and graphs; single kernels have no times");
  }
  /// Without an agent, there are meters, and what can be seen from outside.
  void expect_no_agent() { has_agent_ = false; }

  /// A recording without meters is better than none.
  void start_meters(double hz) {
    if (hz <= 0) return;
    Result<MeterFiller> started = MeterFiller::start(hz, builder_, clock_.origin_ns(), host_name());
    if (started) meters_.emplace(std::move(*started));
    if (!started) builder_.warn("no meters: " + started.error().message);
  }
  void meter_process(std::int64_t pid) {
    if (meters_) meters_->add_process(pid);
  }

  /// Keeps only the last seconds until `finish`.
  void keep_last(double seconds, std::size_t most_bytes) { backlog_.emplace(seconds, most_bytes); }
  void warn(std::string message) { builder_.warn(std::move(message)); }

  /// From here on, the file opens.
  Status begin_file() { return backlog_ ? Status() : writer_.append_and_forget(builder_.run()); }
  /// Takes what the targets wrote, and appends it to the file.
  Status commit() {
    take_batch();
    if (backlog_) return {};
    const std::uint64_t before = writer_.bytes();
    Status status = writer_.append_and_forget(builder_.run());
    last_commit_bytes_ = writer_.bytes() - before;
    return status;
  }
  /// `with_rest`: what was not taken yet goes into the file, too.
  Status finish(bool with_rest) {
    host_.stop();
    if (meters_) meters_->stop();
    if (with_rest) take_batch();
    if (backlog_) {
      for (Batch& batch : backlog_->take()) add(batch);
    }
    filler_.finish();
    if (meters_) meters_->finish();
    add_last_words();
    if (Status status = writer_.append_and_forget(builder_.run()); !status) return status;
    return writer_.finish();
  }
  void add(const InjectedTruth& truth) {
    truths_.add(truth);
    filler_.skip_rows(1);
  }
  std::int64_t origin_ns() const { return clock_.origin_ns(); }
  /// The first process that launched work.
  std::optional<std::int64_t> launching_process() const {
    if (filler_.accounts().empty()) return std::nullopt;
    return filler_.accounts().front().pid;
  }
  /// The longest step of the last batch.
  std::int64_t longest_step_ns() const { return longest_step_ns_; }

  std::uint64_t bytes() const { return writer_.bytes(); }
  /// What the next commits can need.
  std::uint64_t room_to_finish() const { return kRoomForIndex + 2 * last_commit_bytes_; }
  void fill(RecordAccount& account) const {
    account.processes = filler_.accounts();
    if (host_.is_on()) account.host = host_filler_.account();
    account.bytes = writer_.bytes();
    account.dropped = builder_.run().dropped;
    account.warnings = builder_.run().warnings;
    account.slices = slices_;
  }

 private:
  void take_batch() {
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

  /// Processes and threads stay known.
  void forget(Batch& old) {
    for (Harvest::Part& part : old.harvest.parts) {
      part.records.clear();
      part.activities.clear();
      add(part);
    }
    count_losses(old);
  }

  void add(const Batch& batch) {
    for (const Harvest::Part& part : batch.harvest.parts) add(part);
    const std::uint64_t before = host_filler_.account().slices;
    for (const HostEvent& event : batch.host.events) host_filler_.add(event);
    filler_.skip_rows(host_filler_.account().slices - before);
    if (meters_) meters_->add(batch.samples);
    count_losses(batch);
  }

  void count_losses(const Batch& batch) {
    lost_ += batch.harvest.lost;
    for (const auto& [number, target] : live_) filler_.update(numbers_[number], target->memory);
    for (std::string& warning : targets_.take_warnings()) builder_.warn(std::move(warning));
    for (std::string& warning : host_.take_warnings()) builder_.warn(std::move(warning));
    filler_.count_losses();
    host_filler_.count_losses(batch.host);
    if (lost_ != 0) builder_.run().dropped["recorder_busy"] = lost_;
  }

  void add(const Harvest::Part& part) {
    const Target& target = *part.target;
    const auto [at, is_new] = numbers_.try_emplace(target.number);
    if (is_new) {
      at->second = filler_.add_process(target.memory, target.pid, target.memory.command());
      live_.emplace(target.number, part.target);
      meter_process(target.pid);
    }
    for (const ThreadRecord& record : part.records) filler_.add(at->second, target.memory, record);
    for (const wire::Activity& activity : part.activities) {
      filler_.add(at->second, target.memory, activity);
    }
    slices_ += part.records.size() + part.activities.size();
    if (!part.is_last) return;
    filler_.update(at->second, target.memory);
    live_.erase(target.number);
  }

  void add_last_words() {
    std::uint64_t left_out = 0;
    std::uint64_t names_lost = 0;
    for (const ProcessAccount& process : filler_.accounts()) {
      left_out += process.agent.gpu_times_left_out;
      names_lost += process.agent.names_lost;
    }
    if (left_out != 0) {
      builder_.warn("to stay within --budget, " + std::to_string(left_out) +
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
      builder_.warn("no process used the CUDA driver while it was recorded");
    }
  }

  TickClock clock_;
  Targets& targets_;
  HostPart& host_;
  Wishes wishes_;
  RunWriter writer_;
  RunBuilder builder_;
  RunFiller filler_;
  ProcessSources sources_;
  HostFiller host_filler_;
  TruthFiller truths_;
  StepWatch steps_;
  std::optional<Backlog> backlog_;
  std::optional<MeterFiller> meters_;
  std::map<std::size_t, std::size_t> numbers_;           ///< Target::number to that of the filler
  std::map<std::size_t, std::shared_ptr<Target>> live_;  ///< by Target::number
  bool has_agent_ = true;
  std::uint64_t lost_ = 0;
  std::uint64_t slices_ = 0;
  std::uint64_t last_commit_bytes_ = 0;
  std::int64_t longest_step_ns_ = 0;
};

/// Waits for signals, the command and the clock; commits in between.
class Session {
 public:
  Session(const RecordRequest& request, const SignalReader& signals)
      : request_(request), signals_(signals) {}

  Result<RecordAccount> run() {
    Result<OutputFile> file = OutputFile::in_place(request_.output, request_.overwrite);
    if (!file) return file.error();
    Targets::Options options{.wishes = request_.wishes, .listener = nullptr};
    std::optional<Listener> listener;
    if (!request_.pid) {
      Result<Listener> opened = Listener::open();
      if (!opened) return give_up(opened.error());
      listener = std::move(*opened);
      options.listener = &*listener;
    } else {
      options.root_pid = *request_.pid;
    }
    Targets targets(options);
    // Its clock begins before the command does.
    Recording recording(std::move(*file), targets, host_, request_.wishes);
    start_host(recording);
    if (request_.ring_seconds) {
      recording.keep_last(*request_.ring_seconds, request_.max_bytes.value_or(kMostBacklog));
    }
    if (const Status status = begin(recording, targets, listener); !status)
      return give_up(status.error());
    recording.say_mode();
    note_failure(recording.begin_file());
    recording.start_meters(request_.meters_hz);
    recording.meter_process(request_.pid ? *request_.pid : command_->pid());
    targets.begin();
    const Clock::time_point start = Clock::now();
    if (!account_.failure) loop(recording, start);
    account_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    ask_beside(recording, true);
    targets.end();
    listener.reset();  // an agent that starts from here on finds nobody
    if (!account_.failure) {
      note_failure(recording.finish(account_.ending != Ending::kFileIsFull));
    }
    recording.fill(account_);
    wait_for_command();
    return std::move(account_);
  }

 private:
  /// Nothing was recorded: no empty file stays behind.
  Error give_up(const Error& error) const {
    ::unlink(request_.output.c_str());
    return error;
  }

  /// Says it at once, and writes it into the file.
  void tell(Recording& recording, const std::string& message) const {
    if (request_.tell) request_.tell(message);
    recording.warn(message);
  }

  /// A recording without this is better than none.
  void start_host(Recording& recording) {
    if (!request_.host) return;
    const Status status = host_.start(request_.host_shortest_ns);
    if (status) return;
    tell(recording, "--host: " + status.error().message + "; recorded without it");
  }

  Status begin(Recording& recording, Targets& targets, const std::optional<Listener>& listener) {
    if (request_.pid) {
      process_ =
          File(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(*request_.pid), 0)));
      if (!process_.is_open()) {
        return input_error("process " + std::to_string(*request_.pid) + ": " + error_text(errno));
      }
      host_.add_with_descendants(*request_.pid);
      return attach_to_all(recording, targets);
    }
    const Result<std::string> library = find_agent_library();
    if (!library) return library.error();
    const char* preloaded = std::getenv("LD_PRELOAD");
    const std::string others =
        preloaded != nullptr && *preloaded != '\0' ? ":" + std::string(preloaded) : "";
    host_.watch_own_children(true);
    Result<StartedCommand> started = StartedCommand::start(
        request_.command,
        {"LD_PRELOAD=" + *library + others, wire::kSocketVariable + ("=" + listener->address()),
         wire::kBudgetVariable + ("=" + std::to_string(request_.wishes.budget_ppm)),
         wire::kStacksVariable + ("=" + std::to_string(request_.wishes.stacks)),
         wire::kActivitiesVariable + ("=" + std::to_string(request_.wishes.activities ? 1 : 0))});
    host_.watch_own_children(false);
    if (!started) return started.error();
    command_ = std::move(*started);
    process_ = File(static_cast<int>(::syscall(SYS_pidfd_open, command_->pid(), 0)));
    return {};
  }

  Status attach_to_all(Recording& recording, Targets& targets);
  Status inject_into_all(Recording& recording, Targets& targets);

  void note_failure(const Status& status) {
    if (status || account_.failure) return;
    account_.failure = status.error();
    account_.ending = Ending::kFailed;
  }

  /// False: the recording is to end.
  bool handle_signals() {
    while (const int signal = signals_.next()) {
      if (signal == SIGCHLD) continue;
      if (signal == SIGUSR1) {
        account_.trigger = "a signal";
        continue;
      }
      // Ctrl-C reaches the command by itself; it decides whether it ends.
      if (command_ && signal != SIGINT) command_->forward(signal);
      if (!command_) {
        account_.ending = Ending::kInterrupted;
        return false;
      }
    }
    return true;
  }

  bool has_ended() {
    if (command_) {
      account_.exit_code = command_->poll();
      return account_.exit_code.has_value();
    }
    pollfd ready{.fd = process_.fd(), .events = POLLIN, .revents = 0};
    return ::poll(&ready, 1, 0) == 1;
  }

  void loop(Recording& recording, Clock::time_point start) {
    Clock::time_point next = start + kCommit;
    const auto end = request_.seconds
                         ? start + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(*request_.seconds))
                         : Clock::time_point::max();
    while (!has_ended()) {
      const Clock::time_point now = Clock::now();
      if (now >= end) {
        account_.ending = Ending::kTimeIsUp;
        return;
      }
      if (request_.pid && asks_to_stop(request_.should_stop)) {
        account_.ending = Ending::kInterrupted;
        return;
      }
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(std::min(next, end) - now);
      std::array<pollfd, 2> wakes = {pollfd{.fd = signals_.fd(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = process_.fd(), .events = POLLIN, .revents = 0}};
      ::poll(wakes.data(), wakes.size(), static_cast<int>(std::max<long>(wait.count(), 0)));
      if (!handle_signals()) return;
      if (is_triggered()) return;
      if (Clock::now() < next) continue;
      next = Clock::now() + kCommit;
      if (++commits_ % kLooksForDrivers == 0 && request_.pid) host_.look_for_drivers(*request_.pid);
      note_failure(recording.commit());
      if (account_.failure) return;
      look_at_steps(recording);
      if (is_triggered()) return;
      if (ask_beside(recording, false)) {
        account_.ending = Ending::kTimeIsUp;
        return;
      }
      if (request_.max_bytes &&
          recording.bytes() + recording.room_to_finish() > *request_.max_bytes) {
        account_.ending = Ending::kFileIsFull;
        return;
      }
    }
  }

  /// True if the recording may end.
  bool ask_beside(Recording& recording, bool is_over) {
    if (!request_.beside) return false;
    const std::int64_t started = command_ ? command_->pid() : request_.pid.value_or(0);
    const BesideAnswer answer =
        request_.beside({.origin_ns = recording.origin_ns(),
                         .pid = recording.launching_process().value_or(started),
                         .is_over = is_over});
    for (const InjectedTruth& truth : answer.truths) recording.add(truth);
    return answer.may_end;
  }

  bool is_triggered() {
    if (!request_.ring_seconds || account_.trigger.empty()) return false;
    account_.ending = Ending::kTriggered;
    return true;
  }

  void look_at_steps(const Recording& recording) {
    const std::int64_t longest_ns = recording.longest_step_ns();
    if (!request_.slower_ns || longest_ns <= *request_.slower_ns) return;
    account_.trigger = fmt::format("a step of {:.1f} ms", static_cast<double>(longest_ns) / 1e6);
  }

  void wait_for_command() {
    while (command_ && !has_ended()) {
      std::array<pollfd, 2> wakes = {pollfd{.fd = signals_.fd(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = process_.fd(), .events = POLLIN, .revents = 0}};
      ::poll(wakes.data(), wakes.size(), 1000);
      handle_signals();
    }
  }

  const RecordRequest& request_;
  const SignalReader& signals_;
  RecordAccount account_;
  HostPart host_;
  std::uint64_t commits_ = 0;
  std::optional<StartedCommand> command_;
  File process_;  ///< readable when the command or process has ended
};

Status Session::attach_to_all(Recording& recording, Targets& targets) {
  // A server's first process may be one that starts others and uses no GPU itself.
  Status first = targets.attach(*request_.pid);
  if (first || first.error().code == ErrorCode::kUsage) return first;
  for (const std::int64_t pid : with_descendants(*request_.pid)) {
    if (targets.attach(pid)) return {};
  }
  if (request_.inject) return inject_into_all(recording, targets);
  const std::string advice =
      "start it with LD_PRELOAD=$(tactus record --print-agent), or by tactus record -- COMMAND";
  if (host_.is_on()) {
    host_.look_for_drivers(*request_.pid);
    tell(recording, first.error().message +
                        ": launches are watched from outside, which costs more; " + advice);
  } else if (request_.meters_hz > 0) {
    tell(recording, first.error().message +
                        ": only meters are recorded; --host adds what its threads do; " + advice);
  } else {
    return input_error(first.error().message + "; " + advice);
  }
  recording.expect_no_agent();
  return {};
}

/// All processes that use CUDA; one that cannot be helped ends it.
Status Session::inject_into_all(Recording& recording, Targets& targets) {
  const Result<std::string> library = find_agent_library();
  if (!library) return library.error();
  const auto should_stop = [&] { return !handle_signals() || asks_to_stop(request_.should_stop); };
  std::size_t count = 0;
  for (const std::int64_t pid : with_descendants(*request_.pid)) {
    if (pid != *request_.pid && !has_cuda(pid)) continue;
    // A server's first process may use no GPU itself.
    if (!has_cuda(pid) && with_descendants(pid).size() > 1) continue;
    if (Status loaded = load_agent(pid, *library, should_stop); !loaded) return loaded;
    if (Status added = targets.attach(pid); !added) return added;
    tell(recording,
         fmt::format("process {}: the agent was loaded; it stays there, asleep, until the "
                     "process ends",
                     pid));
    ++count;
  }
  if (count != 0) return {};
  return input_error("process " + std::to_string(*request_.pid) +
                     " and those that it started have not loaded the CUDA driver (libcuda.so.1)");
}

}  // namespace

Result<RecordAccount> record(const RecordRequest& request) {
  const SignalReader signals;
  return Session(request, signals).run();
}

}  // namespace tactus::record
