#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/watch/watch_session.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/shell_word.h"
#include "cli/terminal.h"
#include "cycles/cycles.h"
#include "run/tact/tact_file.h"
#include "views/common/numbers.h"
#include "views/watch/evaluation_view.h"
#include "watch/evaluate/evaluation.h"
#include "watch/keep/pid_source.h"
#include "watch/sinks/sinks.h"
#include "watch/sources/listening_process.h"
#include "watch/sources/step_csv.h"
#include "wire/stacks.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

/// Of an alert, so much behind it is compared, too: some tens of samples of the meters, together
/// with what raised it, and soon enough for somebody who was called.
constexpr std::int64_t kBehindNs = 2'000'000'000;
constexpr std::size_t kLearn = 100;  // [steps]

class WatchCommand final : public Command {
 public:
  std::string name() const override { return "watch"; }
  std::string description() const override {
    return "Watch the steps of a server and say when they take longer than their work explains";
  }
  std::string details() const override {
    return "Learns how long steps take for their work (batch, context, tokens of prompts), tells a "
           "heavy batch from a slow machine, and raises an alert if steps take too long for 200 "
           "steps "
           "or 10 s, or if one stalls. Steps come from a recording, from a process that has the "
           "agent "
           "of tactus record inside, from the /metrics of vLLM or SGLang, from their logs, or from "
           "a "
           "CSV of steps. Ends with 0 when the source ends, at --seconds or by Ctrl-C; with "
           "--fail-on "
           "alert, with 1 if there was an alert and with 4 if too little was learnt to judge. "
           "--evaluate scores the model and the rules on a file of steps.";
  }
  std::string examples() const override {
    return "  tactus watch run.tact\n"
           "  tactus watch run.tact --follow  # while it is recorded\n"
           "  tactus watch --pid 4711 --keep 10s --json-lines alerts.jsonl\n"
           "  tactus watch --url http://127.0.0.1:8000/metrics --metrics 127.0.0.1:9187\n"
           "  tactus watch --log vllm.log --follow --webhook http://127.0.0.1:8080/alert\n"
           "  tactus watch slow.tact --learn-from normal.tact --fail-on alert\n"
           "  tactus watch --evaluate steps.csv.gz --html scores.html\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", run_, "a .tact file, or any input that import reads").file("RUN");
    options.add("--pid", pid_, "watch this process, which was started with the agent inside")
        .type_name("PID")
        .between(1, 4194304);
    options
        .add("--stacks", stacks_,
             "with --pid, python reads batch and tokens of engine steps from the stacks of "
             "launches (0.3 us per launch):")
        .choices({"python", "none"})
        .type_name("WHICH");
    options.add("--url", url_, "watch a server by its metrics: http://HOST:PORT/metrics")
        .type_name("URL");
    options.add("--log", log_, "watch the log of vLLM or SGLang").file();
    options.add("--csv", csv_, "watch a CSV of steps").file();
    options.add("--follow", follow_, "go on while RUN or --log grows");
    options.add("--every", every_, "seconds between two looks at --url (default: 1)")
        .type_name("S")
        .between(0.1, 3600);
    options.add("--seconds", seconds_, "watch no longer than this").type_name("S").between(0, 1e9);
    options.add("--learn", learn_, "steps to learn from before judging (default: 100)")
        .type_name("N")
        .between(20, 1e6);
    options.add("--learn-from", learn_from_, "a run or a CSV of steps that is known to be sound")
        .file("RUN");
    options
        .add("--keep", keep_,
             "keep what was recorded from the start of an alert to this long behind it, and the "
             "steps before it: 10s (without it, they are compared and not kept)")
        .type_name("TIME");
    options.add("--keep-in", keep_in_, "where to keep it (default: here)").folder();
    options
        .add("--json-lines", sinks_.json_lines,
             "append each event as a line of JSON; - prints them")
        .file();
    options
        .add("--webhook", sinks_.webhook, "send alerts to this address (POST of JSON, http only)")
        .type_name("URL");
    options.add("--syslog", sinks_.syslog, "write alerts to the system's log");
    options
        .add("--metrics", sinks_.metrics,
             "offer a page for Prometheus: 9187 (on this machine only) or HOST:PORT")
        .type_name("ADDRESS");
    options.add("--otlp", sinks_.otlp, "send events and metrics to OpenTelemetry: http://HOST:4318")
        .type_name("URL");
    options.add("--fail-on", fail_on_, "exit 1 if there was one:")
        .choices({"alert"})
        .type_name("WHAT");
    options.add("--evaluate", evaluate_, "score model and rules on a CSV of steps").file("CSV");
    options.add("--seed", seed_, "of what --evaluate draws at random (default: 42)").type_name("N");
    options.add("--html", html_, "write the evaluation as a page").file();
    options.add("--svg", svg_, "write learning curve and control chart of the evaluation").file();
    options.add("--md", markdown_, "write the tables of the evaluation as Markdown").file();
    options.add("--json", json_, "print JSON, at the end");
    options.add("--force", force_, "overwrite files");
  }

  Result<int> run(const CommonOptions& common) override {
    if (Status status = check(); !status) return status.error();
    if (!evaluate_.empty()) return score(common);
    return watch_source(common);
  }

 private:
  Status check() {
    const int sources = (run_.empty() ? 0 : 1) + (pid_ ? 1 : 0) + (url_.empty() ? 0 : 1) +
                        (log_.empty() ? 0 : 1) + (csv_.empty() ? 0 : 1) +
                        (evaluate_.empty() ? 0 : 1);
    if (sources != 1) {
      return usage_error(
          "watch: give one thing to watch: a RUN, --pid, --url, --log, --csv, or --evaluate with a "
          "CSV");
    }
    if (evaluate_.empty() && (!html_.empty() || !svg_.empty() || !markdown_.empty())) {
      return usage_error("--html, --svg and --md are for --evaluate");
    }
    if (follow_ && run_.empty() && log_.empty())
      return usage_error("--follow is for a RUN or --log");
    if (follow_ && run_ == "-") {
      return usage_error("--follow -: give the name of the file that grows, not standard input");
    }
    if (json_ && sinks_.json_lines == "-") {
      return usage_error(
          "--json and --json-lines - both print to standard output; give a file to one");
    }
    if (!keep_.empty()) {
      if (run_.empty() && !pid_) {
        return usage_error("--keep needs a recording: a RUN or --pid");
      }
      if (!parse_duration(keep_, keep_ns_) || keep_ns_ < 100'000'000 || keep_ns_ > 20'000'000'000) {
        return usage_error("--keep " + keep_ + ": is not a time between 100ms and 20s; write 10s");
      }
    }
    return guard_inputs({html_, svg_, markdown_}, {evaluate_, run_, csv_, log_, learn_from_});
  }

  Result<int> score(const CommonOptions& common) const {
    for (const std::string& path : {html_, svg_, markdown_}) {
      std::error_code error;
      if (!force_ && !path.empty() && path != kStandardOutput && fs::exists(path, error)) {
        return usage_error(path + ": exists; --force overwrites it");
      }
    }
    const Result<watch::StepTable> table = watch::read_step_csv(evaluate_);
    if (!table) return table.error();
    Result<watch::Evaluation> scores = broke_error("");
    {
      const auto progress = make_progress(common.quiet);
      scores = watch::evaluate(*table, {.seed = seed_, .threads = thread_count(common)}, *progress);
    }
    if (!scores) return input_error(evaluate_ + ": " + scores.error().message);
    scores->file = fs::path(evaluate_).filename().string();
    for (const auto& [path, text] :
         {std::pair(&html_, &show_evaluation_html), std::pair(&svg_, &show_evaluation_svg),
          std::pair(&markdown_, &show_evaluation_markdown)}) {
      if (path->empty()) continue;
      if (Status status = write_report(*path, text(*scores), force_); !status)
        return status.error();
    }
    const Status printed = print(json_ ? show_evaluation_json(*scores)
                                       : show_evaluation_text(*scores, text_columns()));
    if (!printed) return printed.error();
    return kDone;
  }

  /// The whole of a run or a CSV.
  Result<std::unique_ptr<watch::StepSource>> whole(const std::string& path,
                                                   const CommonOptions& common) const {
    if (is_step_csv(path)) return watch::csv_source(path);
    const Result<Run> run = open_trace(path, common);
    if (!run) return run.error();
    const Result<Cycles> cycles = find_cycles(*run, {});
    if (!cycles) return cycles.error();
    if (cycles->method == AnchorMethod::kLaunch) {
      return input_error(path + ": no steps were found in it; tactus info shows what it holds");
    }
    if (Status status = run->status(); !status) return status.error();
    return watch::run_source(*run, *cycles);
  }

  static bool is_step_csv(const std::string& path) {
    return path.ends_with(".csv") || path.ends_with(".csv.gz") || path.ends_with(".csv.zst");
  }

  Result<std::unique_ptr<watch::StepSource>> open_source(const CommonOptions& common) {
    if (!csv_.empty()) return watch::csv_source(csv_);
    if (!log_.empty()) return watch::log_source(log_, follow_);
    if (!url_.empty()) {
      const Result<http::Url> url = http::parse_url(url_);
      if (!url) return url.error();
      return watch::metrics_source(*url,
                                   std::chrono::milliseconds(static_cast<long>(every_ * 1e3)));
    }
    if (pid_) {
      Result<std::unique_ptr<watch::PidSource>> source =
          watch::PidSource::start(*pid_, keep_in_.empty() ? "." : keep_in_,
                                  stacks_ == "python" ? std::uint32_t{wire::kPythonStacks} : 0);
      if (!source) return source.error();
      recorder_ = source->get();
      return std::unique_ptr<watch::StepSource>(std::move(*source));
    }
    return follow_ ? watch::growing_run_source(run_) : whole(run_, common);
  }

  std::string source_name() const {
    if (pid_) return "process " + std::to_string(*pid_);
    for (const std::string* name : {&run_, &url_, &log_, &csv_}) {
      if (!name->empty()) return *name;
    }
    return "";
  }

  /// An input that can be read in parts.
  bool is_tact_run() const {
    std::ifstream file(run_, std::ios::binary);
    std::string head(64, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    return file.gcount() <= 0 || is_tact(head);
  }

  void set_keeper(const CommonOptions& common, WatchSession& session) {
    if (!pid_ && (run_.empty() || is_step_csv(run_))) return;
    WatchKeeper::Options options{.behind_ns = keep_.empty() ? kBehindNs : keep_ns_,
                                 .keeps_files = !keep_.empty(),
                                 .folder = keep_in_.empty() ? "." : keep_in_,
                                 .is_tact = pid_ || is_tact_run(),
                                 .is_whole = !pid_ && !follow_,
                                 .overwrite = force_};
    options.name = pid_ ? "watch-" + std::to_string(*pid_) : fs::path(run_).stem().string();
    session.set_keeper(std::make_unique<WatchKeeper>(common, options, [this] {
      return recorder_ != nullptr ? recorder_->recordings() : std::vector<std::string>{run_};
    }));
  }

  /// What an alert tells people to type. With --keep, there will be files to compare.
  std::string advice() const {
    if (!keep_.empty() || !csv_.empty() || is_step_csv(run_)) return "";
    if (!url_.empty() || !log_.empty())
      return "tactus record " + server_option() + " --seconds 10 -o slow.tact";
    if (pid_) return "tactus watch --pid " + std::to_string(*pid_) + " --keep 10s";
    std::string options = " --keep 10s";
    if (!learn_from_.empty()) options += " --learn-from " + shell_word(learn_from_);
    if (learn_ != kLearn) options += " --learn " + std::to_string(learn_);
    if (is_tact_run()) return "tactus watch " + shell_word(run_) + options;
    const std::string made = shell_word(fs::path(run_).stem().stem().string() + ".tact");
    return "tactus import " + shell_word(run_) + " -o " + made + " && tactus watch " + made +
           options;
  }

  /// Of a server on this machine, who it is is known.
  std::string server_option() const {
    const Result<http::Url> url = http::parse_url(url_);
    if (!url_.empty() && url) {
      if (const auto pid = watch::listening_process(url->host, url->port)) {
        return "--pid " + std::to_string(*pid);
      }
    }
    return "--pid PID";
  }

  Result<int> watch_source(const CommonOptions& common) {
    if (!keep_.empty() && !keep_in_.empty()) {
      if (Status made = make_folder(keep_in_); !made) return made.error();
    }
    if (!keep_.empty() && !pid_ && !is_tact_run()) {
      return usage_error("--keep needs a .tact file: tactus import " + run_ +
                         " -o run.tact makes one");
    }
    WatchSession session(common, {.learning = {.ready_after = learn_}, .rules = {}}, source_name());
    session.set_quiet(json_ || sinks_.json_lines == kStandardOutput);
    if (Status status = session.open_sinks(sinks_); !status) return status.error();
    if (!learn_from_.empty()) {
      const Result<std::unique_ptr<watch::StepSource>> sound = whole(learn_from_, common);
      if (!sound) return sound.error();
      if (Status status = session.learn(**sound); !status) return status.error();
    }
    const Result<std::unique_ptr<watch::StepSource>> source = open_source(common);
    if (!source) return source.error();
    set_keeper(common, session);
    session.set_advice(advice());
    if (Status status = session.watch(**source, seconds_); !status) return status.error();
    const watch::WatchReport report = session.report();
    if (report.streams.empty() && !follow_ && !pid_ && url_.empty()) {
      return input_error(source_name() + ": holds no step that can be watched");
    }
    if (json_ || sinks_.json_lines != kStandardOutput) {
      const Status printed =
          print(json_ ? show_watch_json(report) : show_watch_text(report, text_columns()));
      if (!printed) return printed.error();
    }
    // A file that was asked for and has holes: a disk that is full. Servers are no concern of ours.
    for (const watch::SinkAccount& sink : report.sinks) {
      if (sink.name == watch::kLineSink && sink.failed > 0) {
        return broke_error(sinks_.json_lines + ": " +
                           count_of(static_cast<std::int64_t>(sink.failed), "event", "events") +
                           " could not be written");
      }
    }
    return exit_code(report, session.is_ready());
  }

  int exit_code(const watch::WatchReport& report, bool is_ready) const {
    if (fail_on_.empty()) return kDone;
    for (const watch::StreamAccount& stream : report.streams) {
      if (stream.alerts > 0) return kGateFailed;
    }
    if (is_ready) return kDone;
    print_error("--fail-on alert: cannot be judged: there were too few steps to learn from (" +
                std::to_string(learn_) +
                " of one kind); watch for longer, or give --learn-from SOUND_RUN or a smaller "
                "--learn");
    return kNotJudged;
  }

  std::string run_;
  std::optional<std::int64_t> pid_;
  std::string stacks_ = "python";
  std::string url_;
  std::string log_;
  std::string csv_;
  bool follow_ = false;
  double every_ = 1;
  std::optional<double> seconds_;
  std::size_t learn_ = kLearn;
  std::string learn_from_;
  std::string keep_;
  std::int64_t keep_ns_ = 0;
  std::string keep_in_;
  WatchSinks sinks_;
  std::string fail_on_;
  std::string evaluate_;
  std::size_t seed_ = 42;
  std::string html_;
  std::string svg_;
  std::string markdown_;
  bool json_ = false;
  bool force_ = false;
  watch::PidSource* recorder_ = nullptr;  ///< of the source, while it lives
};

}  // namespace

std::unique_ptr<Command> watch_command() {
  return std::make_unique<WatchCommand>();
}

}  // namespace tactus::cli
