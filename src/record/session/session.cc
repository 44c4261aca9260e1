#include "record/session/session.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <map>

#include "record/session/command.h"
#include "record/session/meter_filler.h"
#include "record/session/processes.h"
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

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Signals are read from a descriptor while this lives; the program's own handling is back
/// afterwards.
class SignalReader {
 public:
  SignalReader() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&wanted, signal);
    pthread_sigmask(SIG_BLOCK, &wanted, &before_);
    file_ = File(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  SignalReader(const SignalReader&) = delete;
  SignalReader& operator=(const SignalReader&) = delete;
  ~SignalReader() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  int fd() const { return file_.fd(); }
  /// The next signal that arrived; 0 if there is none.
  int next() const {
    signalfd_siginfo info{};
    return ::read(file_.fd(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                 : 0;
  }

 private:
  sigset_t before_{};
  File file_;
};

/// The Run that grows, and its file.
class Recording {
 public:
  Recording(OutputFile file, Targets& targets)
      : targets_(targets), writer_(std::move(file), 1), filler_(builder_, clock_, host_name()) {
    builder_.run().origin_ns = clock_.origin_ns();
    builder_.warn(
        "recorded in light mode: launches, copies, waits and allocations of every call, and GPU "
        "times of steps and graphs; single kernels have no times");
    writer_.sync_every(kCommit);
  }

  const TickClock& clock() const { return clock_; }

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

  /// Takes what the targets wrote, and appends it to the file.
  Status commit() {
    take_harvest();
    return writer_.append_and_forget(builder_.run());
  }
  Status finish() {
    take_harvest();
    if (meters_) meters_->finish();
    add_last_words();
    if (Status status = writer_.append_and_forget(builder_.run()); !status) return status;
    return writer_.finish();
  }

  std::uint64_t bytes() const { return writer_.bytes(); }
  void fill(RecordAccount& account) const {
    account.processes = filler_.accounts();
    account.bytes = writer_.bytes();
    account.dropped = builder_.run().dropped;
    account.warnings = builder_.run().warnings;
    account.slices = slices_;
  }

 private:
  void take_harvest() {
    clock_.sample();
    Harvest harvest = targets_.take();
    lost_ += harvest.lost;
    for (const Harvest::Part& part : harvest.parts) add(part);
    for (const auto& [number, target] : live_) filler_.update(numbers_[number], target->memory);
    for (std::string& warning : targets_.take_warnings()) builder_.warn(std::move(warning));
    if (meters_) meters_->take();
    filler_.count_losses();
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
    slices_ += part.records.size();
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
    if (filler_.accounts().empty()) {
      builder_.warn("no process used the CUDA driver while it was recorded");
    }
  }

  TickClock clock_;
  Targets& targets_;
  RunWriter writer_;
  RunBuilder builder_;
  RunFiller filler_;
  std::optional<MeterFiller> meters_;
  std::map<std::size_t, std::size_t> numbers_;           ///< Target::number to that of the filler
  std::map<std::size_t, std::shared_ptr<Target>> live_;  ///< by Target::number
  std::uint64_t lost_ = 0;
  std::uint64_t slices_ = 0;
};

/// Waits for signals, the command and the clock; commits in between.
class Session {
 public:
  Session(const RecordRequest& request, const SignalReader& signals)
      : request_(request), signals_(signals) {}

  Result<RecordAccount> run() {
    Result<OutputFile> file = OutputFile::in_place(request_.output, request_.overwrite);
    if (!file) return file.error();
    Targets::Options options{.budget_ppm = request_.budget_ppm, .listener = nullptr};
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
    Recording recording(std::move(*file), targets);  // its clock begins before the command does
    if (const Status status = begin(targets, listener); !status) return give_up(status.error());
    recording.start_meters(request_.meters_hz);
    recording.meter_process(request_.pid ? *request_.pid : command_->pid());
    targets.begin();
    const Clock::time_point start = Clock::now();
    loop(recording, start);
    targets.end();
    listener.reset();  // an agent that starts from here on finds nobody
    if (!account_.failure) note_failure(recording.finish());
    recording.fill(account_);
    account_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    wait_for_command();
    return std::move(account_);
  }

 private:
  /// Nothing was recorded: no empty file stays behind.
  Error give_up(const Error& error) const {
    ::unlink(request_.output.c_str());
    return error;
  }

  Status begin(Targets& targets, const std::optional<Listener>& listener) {
    if (request_.pid) {
      process_ =
          File(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(*request_.pid), 0)));
      if (!process_.is_open()) {
        return input_error("process " + std::to_string(*request_.pid) + ": " + error_text(errno));
      }
      return attach_to_all(targets);
    }
    const Result<std::string> library = find_agent_library();
    if (!library) return library.error();
    const char* preloaded = std::getenv("LD_PRELOAD");
    const std::string others =
        preloaded != nullptr && *preloaded != '\0' ? ":" + std::string(preloaded) : "";
    Result<StartedCommand> started = StartedCommand::start(
        request_.command,
        {"LD_PRELOAD=" + *library + others, wire::kSocketVariable + ("=" + listener->address()),
         wire::kBudgetVariable + ("=" + std::to_string(request_.budget_ppm))});
    if (!started) return started.error();
    command_ = std::move(*started);
    process_ = File(static_cast<int>(::syscall(SYS_pidfd_open, command_->pid(), 0)));
    return {};
  }

  Status attach_to_all(Targets& targets) const;

  void note_failure(const Status& status) {
    if (status || account_.failure) return;
    account_.failure = status.error();
    account_.ending = Ending::kFailed;
  }

  /// False: the recording is to end.
  bool handle_signals() {
    while (const int signal = signals_.next()) {
      if (signal == SIGCHLD) continue;
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
      if (Clock::now() < next) continue;
      next = Clock::now() + kCommit;
      note_failure(recording.commit());
      if (account_.failure) return;
      if (request_.max_bytes && recording.bytes() + kRoomForIndex > *request_.max_bytes) {
        account_.ending = Ending::kFileIsFull;
        return;
      }
    }
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
  std::optional<StartedCommand> command_;
  File process_;  ///< readable when the command or process has ended
};

Status Session::attach_to_all(Targets& targets) const {
  // A server's first process may be one that starts others and uses no GPU itself.
  Status first = targets.attach(*request_.pid);
  if (first || first.error().code == ErrorCode::kUsage) return first;
  for (const std::int64_t pid : with_descendants(*request_.pid)) {
    if (targets.attach(pid)) return {};
  }
  return input_error(first.error().message +
                     "; start it with LD_PRELOAD=$(tactus record --print-agent), or start it by "
                     "tactus record -- COMMAND");
}

}  // namespace

Result<RecordAccount> record(const RecordRequest& request) {
  const SignalReader signals;
  return Session(request, signals).run();
}

}  // namespace tactus::record
