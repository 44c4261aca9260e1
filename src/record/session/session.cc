#include "record/session/session.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "record/beside/running_injections.h"
#include "record/session/attach_to_all.h"
#include "record/session/command.h"
#include "record/session/recording.h"
#include "record/session/signal_reader.h"
#include "record/window/full_window.h"
#include "wire/segment.h"

namespace tactus::record {
namespace {

using Clock = std::chrono::steady_clock;
static_assert(kCommit <= std::chrono::milliseconds(wire::kAskedEveryMs));
/// What --ring keeps in memory if --max-size says nothing.
constexpr std::size_t kMostBacklog = 512 << 20;
constexpr std::uint64_t kLooksForDrivers = 5;  // [commits]

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
    note_failure(recording.begin_file());
    recording.start_meters(request_.meters_hz);
    recording.meter_process(request_.pid ? *request_.pid : command_->pid());
    targets.begin();
    look_for_injections(recording, false);
    open_window(targets, recording);
    const Clock::time_point start = Clock::now();
    if (!account_.failure) loop(recording, start);
    account_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    ask_beside(recording, true);
    look_for_injections(recording, true);
    window_->end();
    window_.reset();  // signals that come from here on are too late
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
      return attach(recording, targets);
    }
    return start_command(*listener);
  }

  Status attach(Recording& recording, Targets& targets) {
    const auto should_stop = [&] {
      return !handle_signals() || asks_to_stop(request_.should_stop);
    };
    const Result<Attached> attached = attach_to_all(
        {.pid = *request_.pid,
         .inject = request_.inject,
         .can_do_without = !request_.needs_agent && (host_.is_on() || request_.meters_hz > 0),
         .has_host = host_.is_on()},
        targets, should_stop);
    if (!attached) return attached.error();
    for (const std::string& message : attached->told) tell(recording, message);
    if (attached->has_agent) return {};
    recording.expect_no_agent();
    host_.look_for_drivers(*request_.pid);
    return {};
  }

  Status start_command(const Listener& listener) {
    const Result<std::string> library = find_agent_library();
    if (!library) return library.error();
    const char* preloaded = std::getenv("LD_PRELOAD");
    const std::string others =
        preloaded != nullptr && *preloaded != '\0' ? ":" + std::string(preloaded) : "";
    host_.watch_own_children(true);
    Result<StartedCommand> started = StartedCommand::start(
        request_.command,
        {"LD_PRELOAD=" + *library + others, wire::kSocketVariable + ("=" + listener.address()),
         wire::kBudgetVariable + ("=" + std::to_string(request_.wishes.budget_ppm)),
         wire::kStacksVariable + ("=" + std::to_string(request_.wishes.stacks)),
         wire::kActivitiesVariable + ("=" + std::to_string(request_.wishes.activities ? 1 : 0))},
        &signals_.mask_before());
    host_.watch_own_children(false);
    if (!started) return started.error();
    command_ = std::move(*started);
    process_ = File(static_cast<int>(::syscall(SYS_pidfd_open, command_->pid(), 0)));
    // A Ctrl-C that came before the command was there did not reach it.
    while (const int signal = signals_.next()) {
      if (is_for_command(signal)) command_->forward(signal);
    }
    return {};
  }

  void note_failure(const Status& status) {
    if (status || account_.failure) return;
    account_.failure = status.error();
    account_.ending = Ending::kFailed;
  }

  static bool is_for_command(int signal) {
    return signal != SIGCHLD && signal != SIGUSR1 && signal != SIGUSR2;
  }

  /// Whoever wants full mode for a while can say so from now on.
  void open_window(Targets& targets, Recording& recording) {
    std::string refusal = request_.no_window;
    if (request_.ring_seconds) {
      refusal = "the recorder keeps the last seconds only (--ring), in light mode";
    }
    if (request_.wishes.activities) refusal = "it is recorded in full mode already";
    std::error_code error;
    const std::filesystem::path file = std::filesystem::absolute(request_.output, error);
    window_.emplace(FullWindow::Options{.wishes = request_.wishes,
                                        .refusal = refusal,
                                        .file = error ? request_.output : file.string(),
                                        .say =
                                            [this](const std::string& message) {
                                              if (request_.tell) request_.tell(message);
                                            }},
                    targets, recording);
  }

  /// False: the recording is to end.
  bool handle_signals() {
    while (const int signal = signals_.next()) {
      if (signal == SIGUSR1) account_.trigger = "a signal";
      if (signal == SIGUSR2 && window_) window_->toggle();
      if (!is_for_command(signal)) continue;
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
      std::array<pollfd, 3> wakes = {pollfd{.fd = signals_.fd(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = process_.fd(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = window_->fd(), .events = POLLIN, .revents = 0}};
      ::poll(wakes.data(), wakes.size(), static_cast<int>(std::max<long>(wait.count(), 0)));
      if (!handle_signals()) return;
      if (is_triggered()) return;
      if (wakes[2].revents != 0) window_->look(false);
      if (Clock::now() < next) continue;
      next = Clock::now() + kCommit;
      if (++commits_ % kLooksForDrivers == 0 && request_.pid) host_.look_for_drivers(*request_.pid);
      note_failure(recording.commit());
      if (account_.failure) return;
      look_at_steps(recording);
      if (is_triggered()) return;
      look_for_injections(recording, false);
      window_->look(true);
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
    const std::optional<std::int64_t> launching = recording.launching_process();
    BesideAnswer answer = request_.beside({.origin_ns = recording.origin_ns(),
                                           .pid = launching.value_or(started),
                                           .has_launched = launching.has_value(),
                                           .is_over = is_over});
    for (Note& note : answer.notes) recording.add(std::move(note));
    return answer.may_end;
  }

  /// What is done on purpose to this host is known to whoever reads the recording.
  void look_for_injections(Recording& recording, bool is_over) {
    const std::int64_t now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                    std::chrono::system_clock::now().time_since_epoch())
                                    .count();
    for (const InjectedTruth& truth :
         is_over ? injections_.finish(now_ns) : injections_.look(now_ns)) {
      recording.add(truth);
    }
    for (const std::string& warning : injections_.take_warnings()) tell(recording, warning);
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
  RunningInjections injections_;
  std::optional<FullWindow> window_;
  std::uint64_t commits_ = 0;
  std::optional<StartedCommand> command_;
  File process_;  ///< readable when the command or process has ended
};

}  // namespace

Result<RecordAccount> record(const RecordRequest& request) {
  const SignalReader signals;
  return Session(request, signals).run();
}

}  // namespace tactus::record
