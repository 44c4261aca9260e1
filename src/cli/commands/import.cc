#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "cli/command.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "run/tact/tact_file.h"
#include "sources/sources.h"
#include "views/run/info_view.h"

namespace tactus::cli {
namespace {

class ImportCommand final : public Command {
 public:
  std::string name() const override { return "import"; }
  std::string description() const override {
    return "Read a recording of any format into a .tact file";
  }
  std::string details() const override {
    return "Several inputs are the ranks of one job and become one run. What cannot be read is "
           "dropped and counted, never guessed.";
  }
  std::string examples() const override {
    return "  tactus import trace.json.gz -o run.tact\n"
           "  tactus import rank0.json.gz rank1.json.gz -o job.tact  # the ranks of one job\n"
           "  tactus import a.json b.json --host node-a,node-b --rank 0,1 -o job.tact\n"
           "  tactus import trace.json --counters nvml.csv -o run.tact\n"
           "  tactus import decode.json.gz --capture capture.json.gz -o run.tact\n"
           "  ssh gpu cat trace.json.gz | tactus import - -o run.tact\n";
  }

  void add_options(Options& options) override {
    options
        .add("INPUT", request_.inputs,
             "traces, an nsys SQLite export or kernel summary, CSV files, folders, or - for "
             "standard input")
        .required()
        .file("INPUT");
    options.add("-o,--output", output_, "the .tact file to write").required().file();
    options
        .add("--counters", request_.counters,
             "counter samples to add: CSV with timestamp_ns,counter,device,value; may be repeated")
        .file();
    options.add("--capture", request_.captures, kCaptureHelp).file("TRACE");
    options
        .add("--rank", ranks_,
             "the ranks of the inputs in their order, where the inputs do not tell: 0,1,2")
        .type_name("N")
        .separated_by(',');
    options
        .add("--host", request_.hosts,
             "the host of the inputs, or the hosts in the order of the inputs: node-a,node-b")
        .type_name("NAME")
        .separated_by(',');
    options
        .add("--align", align_,
             "how the clocks of ranks are aligned (auto: by collectives, between different hosts):")
        .choices({"auto", "none", "collectives"})
        .type_name("HOW");
    options.add("--merge", request_.merge, "make one run of inputs that are not of one job, too");
    options.add("--strict", strict_, "fail if anything had to be dropped");
    options.add("--force", force_, "overwrite the output file");
    options.add("--json", json_, "print the summary as JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    const auto begin = std::chrono::steady_clock::now();
    request_.threads = thread_count(common);
    if (Status status = read_choices(); !status) return status.error();
    if (output_ == kStandardOutput) {
      return usage_error(
          "-o -: a .tact file cannot go to standard output; give the name of a file");
    }
    std::vector<std::string> inputs = request_.inputs;
    inputs.insert(inputs.end(), request_.counters.begin(), request_.counters.end());
    inputs.insert(inputs.end(), request_.captures.begin(), request_.captures.end());
    if (Status safe = guard_inputs({output_}, inputs); !safe) return safe.error();
    // Claimed first, so that a long import does not end in "exists already".
    Result<OutputFile> file = create_output(output_, force_);
    if (!file) return file.error();

    std::unique_ptr<Progress> progress = make_progress(common.quiet);
    Result<Imported> imported = import_run(request_, *progress);
    if (!imported) return imported.error();
    Run& run = imported->run;
    if (strict_ && !run.dropped.empty()) {
      return input_error(fmt::format("{}: {} {} (--strict); run without it to see what is left",
                                     request_.inputs.front(), run.dropped.begin()->second,
                                     run.dropped.begin()->first));
    }
    RunWriter writer(std::move(*file), request_.threads);
    if (Status status = writer.append(run, *progress); !status) return status.error();
    if (Status status = writer.finish(); !status) return status.error();
    progress.reset();

    print_warnings(run, common);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const ImportAccount account{.seconds = seconds.count(),
                                .bytes_in = imported->bytes_read,
                                .bytes_out = writer.bytes(),
                                .output = output_};
    if (common.quiet && !json_) return kDone;
    if (Status status = print(show_import(run, account, json_)); !status) return status.error();
    return kDone;
  }

 private:
  Status read_choices() {
    for (const std::string& text : ranks_) {
      std::int64_t rank = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
      if (error != std::errc() || end != text.data() + text.size() || rank < 0) {
        return usage_error("--rank " + text + ": is not a rank; write 0,1,2");
      }
      request_.ranks.push_back(rank);
    }
    request_.align = align_ == "none"          ? Alignment::kNone
                     : align_ == "collectives" ? Alignment::kCollectives
                                               : Alignment::kAuto;
    return {};
  }

  ImportRequest request_;
  std::vector<std::string> ranks_;
  std::string align_ = "auto";
  std::string output_;
  bool strict_ = false;
  bool force_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> import_command() {
  return std::make_unique<ImportCommand>();
}

}  // namespace tactus::cli
