#include "patterns/patterns.h"

#include <filesystem>

#include "cli/command.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/job_name.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "patterns/pattern_summary.h"
#include "views/cycles/patterns_view.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

class PatternsCommand final : public Command {
 public:
  std::string name() const override { return "patterns"; }
  std::string description() const override {
    return "Write the cost of each function per step, and the counters, as CSV";
  }
  std::string details() const override {
    return "Writes NAME_perf_data.csv (one row per function and step) and NAME_counters_data.csv "
           "(one row per counter and step), where NAME is that of the run.";
  }
  std::string examples() const override {
    return "  tactus patterns run.tact -o patterns  # run_perf_data.csv, run_counters_data.csv\n"
           "  tactus patterns run.tact --phase decode --skip-warmup 3 -o patterns\n"
           "  tactus patterns trace.json.gz --by layer -o layers\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", input_, "a .tact file, or any input that import reads")
        .required()
        .file("RUN");
    options.add("-o,--output", folder_, "the folder to write into; - prints the patterns only")
        .required()
        .folder();
    options.add("--force", force_, "overwrite files that exist");
    options.add("--json", json_, "print the summary as JSON");
    options_.add_to(options);
  }

  Result<int> run(const CommonOptions& common) override {
    if (Status status = may_write(); !status) return status.error();

    Result<Run> run = open_trace(input_, common);
    if (!run) return run.error();
    const Result<Cycles> cycles = options_.find(input_, common, *run);
    if (!cycles) return cycles.error();
    const Run patterns = run_of_patterns(*run, *cycles);
    if (const Status status = run->status(); !status) return status.error();

    if (folder_ == kStandardOutput) return print_patterns(*run, patterns);
    if (Status status = make_folder(folder_); !status) return status.error();
    Status written = write(patterns_path(), [&](BufferedOutput& out) {
      return write_patterns(patterns, PatternNumbers::kFourPlaces, out);
    });
    if (!written) return written.error();
    written = write(counters_path(), [&](BufferedOutput& out) {
      return write_counters_of_cycles(*run, *cycles, out);
    });
    if (!written) return written.error();
    if (const Status status = run->status(); !status) return status.error();
    return show(common, *run, *cycles, patterns.patterns.rows);
  }

 private:
  Result<int> print_patterns(const Run& run, const Run& patterns) const {
    const Status written = write(kStandardOutput, [&](BufferedOutput& out) {
      return write_patterns(patterns, PatternNumbers::kFourPlaces, out);
    });
    if (!written) return written.error();
    if (const Status status = run.status(); !status) return status.error();
    return kDone;
  }

  Result<int> show(const CommonOptions& common, const Run& run, const Cycles& cycles,
                   std::size_t rows) const {
    if (common.quiet && !json_) return kDone;
    const PatternFiles files{
        .patterns = patterns_path(), .counters = counters_path(), .rows = rows};
    const PatternSummary summary = summarise_patterns(run, cycles);
    if (Status status = run.status(); !status) return status.error();
    const Status printed =
        print(json_ ? show_patterns_json(summary, cycles, files, run)
                    : show_patterns_text(summary, cycles, files, text_columns()));
    if (!printed) return printed.error();
    return kDone;
  }

  std::string path(const char* ending) const {
    return (fs::path(folder_) / (job_name(input_) + ending)).string();
  }
  std::string patterns_path() const { return path("_perf_data.csv"); }
  std::string counters_path() const { return path("_counters_data.csv"); }

  /// Sees that both files may be written, before the long work.
  Status may_write() const {
    if (folder_ == kStandardOutput) {
      return json_ ? Status(usage_error("-o - and --json: both would go to standard output; give "
                                        "one of them"))
                   : Status();
    }
    std::error_code error;
    if (fs::exists(folder_, error) && !fs::is_directory(folder_, error)) {
      return usage_error(folder_ + ": is a file; give a folder to write into");
    }
    for (const std::string& path : {patterns_path(), counters_path()}) {
      if (!force_ && fs::exists(path, error)) {
        return usage_error(path + ": exists already; give --force to overwrite it");
      }
    }
    return guard_inputs({patterns_path(), counters_path()}, {input_});
  }

  template <class F>
  Status write(const std::string& path, F&& fill) const {
    Result<OutputFile> file = create_output(path, force_);
    if (!file) return file.error();
    BufferedOutput out(*file);
    if (Status status = fill(out); !status) return status;
    return file->commit();
  }

  std::string input_;
  std::string folder_;
  bool force_ = false;
  bool json_ = false;
  CycleOptions options_;
};

}  // namespace

std::unique_ptr<Command> patterns_command() {
  return std::make_unique<PatternsCommand>();
}

}  // namespace tactus::cli
