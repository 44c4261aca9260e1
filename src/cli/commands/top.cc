#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <csignal>

#include "cli/command.h"
#include "cli/screen.h"
#include "record/live/live_stream.h"
#include "record/session/signal_reader.h"
#include "views/record/top_view.h"

namespace tactus::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTurn = std::chrono::milliseconds(500);
constexpr auto kOnce = std::chrono::milliseconds(1000);

class TopCommand final : public Command {
 public:
  std::string name() const override { return "top"; }
  std::string description() const override {
    return "Show live what a GPU program does: steps, launches, waits, meters";
  }
  std::string details() const override {
    return "Watches a process and all that it started, twice per second, from the same stream as "
           "tactus record: steps and launches if it was started with the agent "
           "(LD_PRELOAD=$(tactus record --print-agent) COMMAND), meters always, and with --host "
           "what its threads wait for. Keys: q quits, p pauses, s sorts kernels by launches or by "
           "time in the call. Without a terminal, it prints one line per second. Ends when the "
           "process does.";
  }
  std::string examples() const override {
    return "  tactus top 4711\n"
           "  tactus top vllm                # the process with vllm in its command\n"
           "  sudo tactus top --host 4711    # also cores, locks and disks\n"
           "  tactus top 4711 --once --json  # one document, after a second\n";
  }

  void add_options(Options& options) override {
    options.add("PROCESS", process_, "its number, or a part of its command").required();
    options.add("--host", options_.host,
                "trace its threads: cores, locks, disks (eBPF; needs root)");
    options
        .add("--meters-hz", options_.meters_hz,
             "how often meters are read per second, 0: never (default: 10)")
        .type_name("N")
        .between(0, 100);
    options.add("--once", once_, "watch for one second, print it and end");
    options.add("--json", json_, "with --once: print JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    if (json_ && !once_) return usage_error("--json needs --once: one document");
    const Result<std::int64_t> pid = record::find_process(process_);
    if (!pid) return pid.error();
    options_.pid = *pid;
    const record::SignalReader signals;
    Result<std::unique_ptr<record::LiveStream>> stream = record::LiveStream::start(options_);
    if (!stream) return stream.error();
    if (once_) return show_once(**stream, signals);
    std::optional<Screen> screen = Screen::open();
    const bool has_ended =
        screen ? draw_until_end(**stream, signals) : print_until_end(**stream, signals);
    screen.reset();
    if (has_ended && !common.quiet) print_error(fmt::format("process {} has ended", *pid));
    return kDone;
  }

 private:
  enum class Event : unsigned char { kTime, kKey, kEnded, kSignal };

  /// Waits until then, or until something happens.
  static Event wait_until(Clock::time_point then, const record::LiveStream& stream,
                          const record::SignalReader& signals, bool with_keys) {
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(then - Clock::now());
      std::array<pollfd, 3> wakes = {
          pollfd{.fd = signals.fd(), .events = POLLIN, .revents = 0},
          pollfd{.fd = stream.fd(), .events = POLLIN, .revents = 0},
          pollfd{.fd = with_keys ? 0 : -1, .events = POLLIN, .revents = 0}};
      const int ready =
          ::poll(wakes.data(), wakes.size(), static_cast<int>(std::max<long>(left.count(), 0)));
      while (const int signal = signals.next()) {
        if (signal != SIGCHLD && signal != SIGUSR1) return Event::kSignal;
      }
      if (wakes[1].revents != 0) return Event::kEnded;
      if (wakes[2].revents != 0) return Event::kKey;
      if (ready <= 0 && Clock::now() >= then) return Event::kTime;
    }
  }

  Result<int> show_once(record::LiveStream& stream, const record::SignalReader& signals) {
    wait_until(Clock::now() + kOnce, stream, signals, false);
    const record::LivePicture picture = stream.look();
    std::string text;
    if (json_) {
      text = top_json(picture);
    } else {
      for (const std::string& line : top_screen(picture, {.columns = 100, .rows = 50})) {
        if (!line.starts_with("q quit")) text += line + "\n";
      }
    }
    if (const Status status = print(text); !status) return status.error();
    return kDone;
  }

  /// True if the process has ended.
  static bool print_until_end(record::LiveStream& stream, const record::SignalReader& signals) {
    for (Clock::time_point next = Clock::now() + kOnce;; next += kOnce) {
      const Event event = wait_until(next, stream, signals, false);
      if (event == Event::kSignal) return false;
      if (!print(top_line(stream.look()))) return false;
      std::fflush(stdout);
      if (event == Event::kEnded) return true;
    }
  }

  static bool draw_until_end(record::LiveStream& stream, const record::SignalReader& signals) {
    TopScreen screen;
    record::LivePicture shown = stream.look();
    Clock::time_point next = Clock::now();
    while (true) {
      std::tie(screen.columns, screen.rows) = Screen::size();
      Screen::show(top_screen(shown, screen));
      const Event event = wait_until(next, stream, signals, true);
      if (event == Event::kSignal) return false;
      if (event == Event::kEnded) return true;
      if (event == Event::kTime) {
        // While it is paused, what arrives is still read, so that nothing overflows.
        record::LivePicture latest = stream.look();
        if (!screen.is_paused) shown = std::move(latest);
        next = Clock::now() + kTurn;
        continue;
      }
      const int key = Screen::key();
      if (key == 'q' || key == -1) return false;
      if (key == 'p') screen.is_paused = !screen.is_paused;
      if (key == 's') {
        screen.sort = screen.sort == TopSort::kLaunches ? TopSort::kCallTime : TopSort::kLaunches;
      }
    }
  }

  record::LiveStream::Options options_;
  std::string process_;
  bool once_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> top_command() {
  return std::make_unique<TopCommand>();
}

}  // namespace tactus::cli
