#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <set>

#include "base/text.h"
#include "cli/command.h"
#include "cli/inputs/input_guard.h"
#include "cli/terminal.h"
#include "record/ring/trigger.h"
#include "record/session/command.h"
#include "record/session/session.h"
#include "record/window/ask_for_window.h"
#include "views/record/record_view.h"

namespace tactus::cli {
namespace {

constexpr double kMostSeconds = 1e7;
constexpr double kPerCent = 10'000;  // [millionths]

class RecordCommand final : public Command {
 public:
  std::string name() const override { return "record"; }
  std::string description() const override {
    return "Record a GPU program while it runs, at almost no cost";
  }
  std::string details() const override {
    return "Starts COMMAND with a small library inside that writes down every launch, copy, wait "
           "and allocation of the CUDA driver, and takes GPU times of steps and graphs within "
           "--budget. All processes that COMMAND starts go into one file, which can be opened at "
           "any time, also after a crash. Ends with the exit code of COMMAND, or with 125 if the "
           "recording failed. --pid records a process that was started with the library inside: "
           "LD_PRELOAD=$(tactus record --print-agent) COMMAND. Of a process without it, meters are "
           "recorded, with --host its threads, launches and waits, and with --inject its kernels: "
           "the library is loaded into the process while it runs, and stays there. --host traces "
           "in the Linux "
           "kernel when threads were on a core, ready without a core, or waiting, and for what. "
           "--ring keeps the last seconds in memory until a trigger: --trigger PID, the signal "
           "SIGUSR1 to the recorder, or a step slower than --slower; then the file is written and "
           "the program runs on. While a process is recorded in light mode, record --pid PID "
           "--mode full --seconds S switches full mode on for S seconds in that recording, as does "
           "the signal SIGUSR2 to the recorder for 5 seconds (a second one switches it off).";
  }
  std::string examples() const override {
    return "  tactus record -o run.tact -- vllm serve MODEL\n"
           "  tactus record -o run.tact -- python -m sglang.launch_server --model MODEL\n"
           "  tactus record --seconds 30 -o run.tact -- python serve.py  # then it runs on\n"
           "  LD_PRELOAD=$(tactus record --print-agent) vllm serve MODEL  # to be recorded later:\n"
           "  tactus record --pid 4711 --seconds 10 -o run.tact\n"
           "  tactus record --pid 4711 --inject --seconds 5  # a process that runs without it\n"
           "  sudo tactus record --host -o run.tact -- python serve.py  # with cores, locks, "
           "disks\n"
           "  tactus record --ring 30 --slower 50 --pid 4711  # the 30 s before a step of 50 ms\n"
           "  tactus record --trigger 4711  # write what --ring has now\n"
           "  tactus record --pid 4711 --mode full --seconds 5  # in a recording that runs: "
           "kernels\n";
  }

  void add_options(Options& options) override {
    options.add("COMMAND", request_.command, "the program to start and record").rest();
    options.add("-o,--output", output_, "the .tact file to write (default: record.tact)")
        .file()
        .not_empty();
    options.add("--pid", request_.pid, "record this process and those that it starts")
        .type_name("PID")
        .between(1, 4194304);
    options.add("--seconds", request_.seconds, "record no longer than this")
        .type_name("S")
        .between(0, kMostSeconds);
    options
        .add("--max-size", max_size_,
             "stop when the file has this size (500M, 2G); with --ring, keep less in memory")
        .type_name("SIZE");
    options.add("--inject", request_.inject,
                "with --pid: load the library into a process that was started without it, for its "
                "GPU side (full mode)");
    options.add("--host", request_.host,
                "trace threads on the host: cores, locks, disks (eBPF; needs root)");
    options
        .add("--host-shortest", host_shortest_us_,
             "waits shorter than this are counted, not written (default: 100)")
        .type_name("US")
        .between(0, 1e9);
    options
        .add("--ring", request_.ring_seconds,
             "keep only the last S seconds until a trigger; also written when the program ends")
        .type_name("S")
        .between(0.2, kMostSeconds);
    options.add("--slower", slower_ms_, "with --ring: a step slower than this is a trigger")
        .type_name("MS")
        .between(0, 1e9);
    options
        .add("--trigger", trigger_,
             "tell the recorder with --ring that records this process to write its file, and end")
        .type_name("PID")
        .between(1, 4194304);
    options
        .add("--budget", budget_,
             "what the library may take of a thread's time for GPU times; launches are always "
             "recorded (default: 1%)")
        .type_name("SHARE");
    options
        .add(
            "--meters-hz", request_.meters_hz,
            "how often meters of the host and the GPUs are read per second, 0: never (default: 10)")
        .type_name("N")
        .between(0, 100);
    options
        .add("--stacks", stacks_,
             "the call stack of each launch, copy and wait: of Python (0.3 us per call), of native "
             "code, or of both "
             "(default: none):")
        .choices({"none", "native", "python", "both"})
        .type_name("WHICH");
    options.add("--mode", mode_, "how much to record:")
        .choices({"light", "full"})
        .type_name("MODE");
    options.add("--print-agent", print_agent_, "print the path of the library and end");
    options.add("--force", request_.overwrite, "overwrite the output file");
    options.add("--json", json_, "print the summary as JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    if (print_agent_) {
      const Result<std::string> library = record::find_agent_library();
      if (!library) return library.error();
      if (Status status = print(*library + "\n"); !status) return status.error();
      return kDone;
    }
    if (trigger_) {
      const Result<std::int64_t> recorder = record::trigger(*trigger_);
      if (!recorder) return recorder.error();
      if (!common.quiet) print_error(fmt::format("recorder {} writes its file", *recorder));
      return kDone;
    }
    if (Status status = read_request(); !status) return status.error();
    if (request_.pid && request_.wishes.activities && !request_.inject) {
      if (const auto recorder = record::recorder_of(*request_.pid)) {
        return record_window(*recorder, common);
      }
    }
    std::set<std::string> told;
    request_.tell = [&](const std::string& message) {
      if (told.insert(message).second && !common.quiet) print_error(message);
    };
    const Result<record::RecordAccount> recorded = record::record(request_);
    if (!recorded) return report_failure(recorded.error());
    for (const std::string& warning : recorded->warnings) {
      if (!common.quiet && !told.contains(warning)) print_warning(warning);
    }
    const std::string text = show_recording(*recorded, request_.output, json_, error_columns());
    if (json_) {
      if (Status status = print(text); !status) return report_failure(status.error());
    } else if (!common.quiet) {
      // Standard output belongs to the command.
      std::fputs(text.c_str(), stderr);
    }
    if (recorded->failure) {
      print_error(recorded->failure->message);
      return kRecordingFailed;
    }
    return recorded->exit_code.value_or(kDone);
  }

 private:
  /// The process is being recorded: full mode goes into that file.
  Result<int> record_window(std::int64_t recorder, const CommonOptions& common) const {
    const std::string who = fmt::format("process {}", *request_.pid);
    if (!output_.empty()) {
      return usage_error(fmt::format(
          "{} is being recorded already, by process {}; without -o, full mode is switched on in "
          "that recording",
          who, recorder));
    }
    const record::WindowWish wish{.seconds = request_.seconds.value_or(0),
                                  .stacks = request_.wishes.stacks};
    const auto begun = [&](const record::WindowAccount& account) {
      if (common.quiet) return;
      print_error(fmt::format("{} is being recorded by process {}; full mode goes into {}", who,
                              recorder, account.file));
      if (!account.text.empty()) print_error("warning: " + account.text);
    };
    const Result<record::WindowAccount> account = record::ask_for_window(recorder, wish, begun);
    if (!account) return Error{account.error().code, who + ": " + account.error().message};
    const std::string text = show_window(*account, json_);
    if (json_) {
      if (Status status = print(text); !status) return status.error();
    } else if (!common.quiet) {
      std::fputs(text.c_str(), stderr);
    }
    return kDone;
  }

  Status read_request() {
    request_.output = output_.empty() ? "record.tact" : output_;
    if (!request_.command.empty() && request_.pid) {
      return usage_error("give a program or --pid, not both");
    }
    if (request_.command.empty() && !request_.pid) {
      return usage_error(
          "give a program to record behind --, or a process with --pid: tactus record -o run.tact "
          "-- python serve.py");
    }
    if (request_.output == "-") {
      return usage_error(
          "-o -: a .tact file cannot go to standard output; give the name of a file");
    }
    if (request_.inject && !request_.pid) {
      return usage_error("--inject needs --pid: the process to load the library into");
    }
    if (request_.inject && stacks_ != "none") {
      return usage_error(
          "--stacks needs a process that was started with the library: calls of one that runs "
          "already cannot be seen by --inject");
    }
    if (slower_ms_ && !request_.ring_seconds) {
      return usage_error("--slower needs --ring: how many seconds before the slow step to keep");
    }
    if (slower_ms_) request_.slower_ns = std::llround(*slower_ms_ * 1e6);
    request_.host_shortest_ns = std::llround(host_shortest_us_ * 1e3);
    request_.wishes.stacks = (stacks_ == "native" || stacks_ == "both" ? wire::kNativeStacks : 0u) |
                             (stacks_ == "python" || stacks_ == "both" ? wire::kPythonStacks : 0u);
    request_.wishes.activities = mode_ == "full" || request_.inject;
    const Result<double> share = read_share();
    if (!share) return share.error();
    request_.wishes.budget_ppm = static_cast<std::uint32_t>(*share * kPerCent);
    return read_size();
  }

  Result<double> read_share() const {
    std::string text = budget_;
    if (!text.empty() && text.back() == '%') text.pop_back();
    return read_option_number("--budget " + budget_, text, 0, 100);
  }

  Status read_size() {
    if (max_size_.empty()) return {};
    constexpr std::string_view kUnits = "KMGT";
    std::string text = max_size_;
    double unit = 1;
    if (const std::size_t place = kUnits.find(text.back()); place != std::string_view::npos) {
      for (std::size_t i = 0; i <= place; ++i) unit *= 1000;
      text.pop_back();
    }
    const Result<double> number = read_option_number("--max-size " + max_size_, text, 0, 1e15);
    if (!number) return usage_error(number.error().message + "; give a size as 500M or 2G");
    request_.max_bytes = static_cast<std::uint64_t>(*number * unit);
    constexpr std::uint64_t kLeast = 100'000;
    if (*request_.max_bytes < kLeast) {
      return usage_error("--max-size " + max_size_ +
                         ": the beginning and the end of a recording need 100K; give a size as "
                         "500M or 2G");
    }
    return {};
  }

  Result<int> report_failure(const Error& error) const {
    if (request_.pid) return error;
    print_error(error.message);
    return code_of_failed_start(error);
  }

  record::RecordRequest request_;
  std::string output_;
  std::optional<double> slower_ms_;
  std::optional<std::int64_t> trigger_;
  double host_shortest_us_ = 100;
  std::string budget_ = "1%";
  std::string max_size_;
  std::string mode_ = "light";
  std::string stacks_ = "none";
  bool print_agent_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> record_command() {
  return std::make_unique<RecordCommand>();
}

}  // namespace tactus::cli
