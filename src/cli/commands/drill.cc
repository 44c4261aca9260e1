#include "drill/drill.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "cli/command.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "inject/scenario.h"
#include "run/tact/tact_file.h"
#include "views/drill/drill_view.h"
#include "wire/stacks.h"

namespace tactus::cli {
namespace {

class DrillCommand final : public Command {
 public:
  std::string name() const override { return "drill"; }
  std::string description() const override {
    return "Record a command, inject faults one after the other, and grade what is named";
  }
  std::string details() const override {
    return "Starts COMMAND under tactus record, waits for --warmup, and injects each scenario at "
           "each intensity with a rest before and after it. Then it compares the steps of each "
           "injection with the steps of the rests around it: were they slower by 5% or more, after "
           "how many steps did watch notice, which cause is named, and is that right. What cannot "
           "be judged is graded \"not judged\", never right. Writes drill.tact (with the "
           "injections as slices), drill.json and drill.md into -o. When the last rest is over, "
           "COMMAND runs on until it ends, or is ended with --stop. Ends with the exit code of "
           "COMMAND, or with 125 if the drill failed.";
  }
  std::string examples() const override {
    return "  tactus drill -o drill --warmup 60 --stop -- python serve_and_load.py\n"
           "  tactus drill --scenarios cpu,disk --intensity 0.5,1 --seconds 10 -- ./server\n"
           "  tactus drill --grade drill/drill.tact  # grade it again, without running anything\n"
           "  tactus inject --list  # what can be injected\n";
  }

  void add_options(Options& options) override {
    options.add("--grade", grade_, "grade the recording of an earlier drill; nothing is run")
        .file("RUN");
    options.add("COMMAND", request_.command, "the program to start, with its load").rest();
    options
        .add("--scenarios", request_.scenarios,
             "what to inject (default: cpu,memory-bandwidth,memory,disk,network)")
        .type_name("NAME,...")
        .separated_by(',');
    options.add("--intensity", intensities_, "how much, of the most (default: 0.5,1)")
        .type_name("X,...")
        .separated_by(',');
    options.add("--seconds", request_.seconds, "of each injection (default: 10)")
        .type_name("S")
        .between(1, inject::kLongest);
    options
        .add("--rest", rest_,
             "before, between and after injections (default: 5; with --grade, as recorded)")
        .type_name("S")
        .between(1, inject::kLongest);
    options.add("--warmup", request_.warmup, "from the first launch to the first rest (default: 0)")
        .type_name("S")
        .between(0, 1e5);
    options
        .add("--repeat", request_.repeat,
             "times that everything is injected, each time in another order (default: 1)")
        .type_name("N")
        .between(1, 100);
    options.add("--seed", request_.seed, "of the order of repeats (default: 1)").type_name("N");
    options.add("--shape", shape_, "how the intensity goes:")
        .choices({"step", "ramp", "spike", "square"})
        .type_name("SHAPE");
    options.add("--pairs", pairs_, "cut recordings of this length for each injection and its rest")
        .type_name("S")
        .between(0.1, inject::kLongest);
    options
        .add("--stacks", stacks_, "python: read the steps of engines from the stacks of launches")
        .choices({"none", "python"})
        .type_name("WHICH");
    options.add("--cores", cores_, "busy threads of an injection (default: all cores but one)")
        .type_name("N")
        .between(1, 4096);
    options.add("--dir", folder_, "where disk has its file (default: TMPDIR or /tmp)").folder();
    options.add("-o,--output", request_.folder, "the folder to write (default: drill)").folder();
    options.add("--stop", request_.stop, "end COMMAND (SIGTERM) when the drill is over");
    options.add("--force", request_.overwrite, "overwrite files of an earlier drill");
    options.add("--json", json_, "print the table as JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    if (!grade_.empty()) return grade(common);
    if (Status status = read_request(); !status) return status.error();
    if (Status made = make_folder(request_.folder); !made) return made.error();
    // Not only when all is over.
    const std::string start = request_.folder + "/drill.";
    if (Status status =
            guard_existing({start + "tact", start + "json", start + "md"}, request_.overwrite);
        !status) {
      return status.error();
    }
    if (!common.quiet) request_.tell = [](const std::string& message) { print_error(message); };
    Result<drill::DrillOutcome> outcome = drill::run_drill(request_);
    if (!outcome) return failed(outcome.error());
    if (outcome->account.failure) return failed(*outcome->account.failure);
    Result<drill::DrillReport> report =
        drill::grade_drill(request_.folder + "/drill.tact", rest_, thread_count(common));
    if (!report) return failed(report.error());
    report->warnings.insert(report->warnings.begin(), outcome->account.warnings.begin(),
                            outcome->account.warnings.end());
    if (pairs_) {
      const Status cut =
          drill::write_pairs(report->recording, *pairs_, request_.overwrite, *report);
      if (!cut) report->warnings.push_back("the pairs were not cut: " + cut.error().message);
    }
    if (report->rows.size() < outcome->planned) {
      report->warnings.push_back(
          fmt::format("the command ended before the drill did: {} of {} injections were not done",
                      outcome->planned - report->rows.size(), outcome->planned));
    }
    if (Status status = show(*report, common); !status) return failed(status.error());
    return outcome->account.exit_code.value_or(kDone);
  }

 private:
  /// Again, from what was recorded.
  Result<int> grade(const CommonOptions& common) const {
    if (!request_.command.empty()) return usage_error("--grade runs no COMMAND");
    std::ifstream file(grade_, std::ios::binary);
    std::string head(64, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (file.gcount() > 0 && !is_tact(head)) {
      return input_error(grade_ + ": is not a .tact file; give the drill.tact of an earlier drill");
    }
    const Result<drill::DrillReport> report =
        drill::grade_drill(grade_, rest_, thread_count(common));
    if (!report) return report.error();
    if (report->rows.empty()) return input_error(grade_ + ": no injection was recorded in it");
    for (const std::string& warning : report->warnings) {
      if (!common.quiet) print_warning(warning);
    }
    if (Status printed =
            print(json_ ? show_drill_json(*report) : show_drill_text(*report, text_columns()));
        !printed) {
      return printed.error();
    }
    return kDone;
  }

  Status read_request() {
    if (request_.command.empty()) {
      return usage_error("give a program behind --: tactus drill -- python serve.py");
    }
    if (request_.folder == kStandardOutput) {
      return usage_error(
          "-o -: a drill writes recordings, which cannot go to standard output; give the name of a "
          "folder");
    }
    if (request_.scenarios.empty()) {
      request_.scenarios = {"cpu", "memory-bandwidth", "memory", "disk", "network"};
    }
    for (const std::string& scenario : request_.scenarios) {
      if (inject::find_scenario(scenario) == nullptr) {
        return usage_error("--scenarios " + scenario +
                           ": is not a scenario (see tactus inject --list)");
      }
    }
    request_.rest = rest_.value_or(drill::kRest);
    if (intensities_.empty()) intensities_ = {"0.5", "1"};
    for (const std::string& text : intensities_) {
      const Result<double> number = read_option_number("--intensity " + text, text, 0, 1);
      if (!number) return number.error();
      request_.intensities.push_back(*number);
    }
    if (stacks_ == "python") request_.stacks = wire::kPythonStacks;
    request_.shape = *inject::shape_of(shape_);
    if (cores_) request_.inject_options = {"--cores", std::to_string(*cores_)};
    if (!folder_.empty()) {
      request_.inject_options.insert(request_.inject_options.end(), {"--dir", folder_});
    }
    return {};
  }

  Status show(const drill::DrillReport& report, const CommonOptions& common) const {
    const std::string json = show_drill_json(report);
    if (Status written = write_report(request_.folder + "/drill.json", json, request_.overwrite);
        !written) {
      return written;
    }
    if (Status written = write_report(request_.folder + "/drill.md", show_drill_markdown(report),
                                      request_.overwrite);
        !written) {
      return written;
    }
    for (const std::string& warning : report.warnings) {
      if (!common.quiet) print_warning(warning);
    }
    if (json_) return print(json);
    // Standard output belongs to the command.
    std::fputs(show_drill_text(report, text_columns()).c_str(), stderr);
    return {};
  }

  static Result<int> failed(const Error& error) {
    print_error(error.message);
    return code_of_failed_start(error);
  }

  drill::DrillRequest request_ = {.folder = "drill"};
  std::vector<std::string> intensities_;
  std::string shape_ = "step";
  std::string stacks_ = "none";
  std::optional<double> pairs_;
  std::optional<double> rest_;
  std::string folder_;
  std::string grade_;
  std::optional<std::size_t> cores_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> drill_command() {
  return std::make_unique<DrillCommand>();
}

}  // namespace tactus::cli
