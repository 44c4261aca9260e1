#include "compare/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "cycles/cycle_selection.h"
#include "views/numbers.h"
#include "views/patterns_csv.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

/// What the files are called after: "runs/normal.json.gz" is the job "normal".
std::string job_name(const std::string& input) {
  if (input == "-") return "stdin";
  std::error_code error;
  fs::path path = fs::path(input);
  const bool is_folder = fs::is_directory(path, error);
  if (is_folder) path = fs::canonical(path, error);
  path = path.filename();
  if (is_folder) return path.string();
  if (path.extension() == ".gz" || path.extension() == ".zst") path = path.stem();
  return path.stem().string();
}

class PatternsCommand final : public Command {
 public:
  std::string name() const override { return "patterns"; }
  std::string description() const override {
    return "What each function costs in each step, and what the counters say, as CSV";
  }
  std::string examples() const override {
    return "  tactus patterns run.tact -o patterns                 run_perf_data.csv and\n"
           "                                                       run_counters_data.csv\n"
           "  tactus patterns run.tact --phase decode --skip-warmup 3 -o patterns\n"
           "  tactus patterns trace.json.gz --by layer -o layers\n";
  }

  void add_options(CLI::App& app) override {
    app.add_option("RUN", input_, "a .tact file or anything that import reads")->required();
    app.add_option("-o,--output", folder_, "the folder to write into")
        ->required()
        ->type_name("DIR");
    app.add_option("--anchor", question_.anchor, "the name that marks the cycles")
        ->type_name("NAME");
    app.add_option("--by", by_, "token (default): the steps; layer: the layers of a step")
        ->check(CLI::IsMember({"token", "layer"}).description(""))
        ->type_name("WHAT");
    app.add_option("--phase", phase_, "only cycles of this phase: prefill, decode, mixed or all")
        ->check(CLI::IsMember(kPhases).description(""))
        ->type_name("PHASE");
    app.add_option("--skip-warmup", skip_warmup_, "leave out the first N cycles of each process")
        ->type_name("N");
    app.add_flag("--force", force_, "overwrite files that are there");
    filter_.add_to(app);
  }

  Result<int> run(const CommonOptions& common) override {
    const Result<SliceFilter> filter = filter_.resolve();
    if (!filter) return filter.error();
    question_.filter = *filter;
    question_.by_layer = by_ == "layer";
    if (Status status = may_write(); !status) return status.error();

    const Result<Run> run = open_trace(input_, common);
    if (!run) return run.error();
    Result<Cycles> cycles = find_cycles(*run, question_);
    if (!cycles) return Error{cycles.error().code, input_ + ": " + cycles.error().message};
    skip_warmup(skip_warmup_, *cycles);
    if (const std::optional<Phase> phase = kPhases.at(phase_)) keep_phase(*phase, *cycles);
    const Run patterns = run_of_patterns(*run, *cycles);
    if (const Status status = run->status(); !status) return status.error();

    if (Status status = make_folder(); !status) return status.error();
    Status written = write(patterns_path(), [&](BufferedOutput& out) {
      return write_patterns(patterns, PatternNumbers::kFourPlaces, out);
    });
    if (!written) return written.error();
    written = write(counters_path(), [&](BufferedOutput& out) {
      return write_counters_of_cycles(*run, *cycles, out);
    });
    if (!written) return written.error();
    if (const Status status = run->status(); !status) return status.error();
    if (common.quiet) return kDone;
    if (const Status status = print(summary(*cycles, patterns)); !status) return status.error();
    return kDone;
  }

 private:
  std::string path(const char* ending) const {
    return (fs::path(folder_) / (job_name(input_) + ending)).string();
  }
  std::string patterns_path() const { return path("_perf_data.csv"); }
  std::string counters_path() const { return path("_counters_data.csv"); }

  /// Sees that both files may be written, before the long work.
  Status may_write() const {
    std::error_code error;
    if (fs::exists(folder_, error) && !fs::is_directory(folder_, error)) {
      return usage_error(folder_ + ": is a file; give a folder to write into");
    }
    for (const std::string& path : {patterns_path(), counters_path()}) {
      if (!force_ && fs::exists(path, error)) {
        return usage_error(path + ": exists already; give --force to overwrite it");
      }
    }
    return {};
  }

  Status make_folder() const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return usage_error(folder_ + ": cannot make this folder: " + error.message());
    return {};
  }

  template <class F>
  Status write(const std::string& path, F&& fill) const {
    remove_if_interrupted(OutputFile::temporary_path(path));
    Result<OutputFile> file = OutputFile::create(path, force_);
    if (!file) return file.error();
    BufferedOutput out(*file);
    if (Status status = fill(out); !status) return status;
    Status status = file->commit();
    remove_if_interrupted("");
    return status;
  }

  std::string summary(const Cycles& cycles, const Run& patterns) const {
    const auto cut_off = std::count_if(cycles.cycles.begin(), cycles.cycles.end(),
                                       [](const Cycle& cycle) { return !cycle.complete; });
    return fmt::format("{} cycles{} in {} rows of {}; the samples in them in {}\n",
                       format_count(cycles.cycles.size()),
                       cut_off == 0 ? "" : fmt::format(" ({} cut off at an edge)", cut_off),
                       format_count(patterns.patterns.rows), patterns_path(), counters_path());
  }

  inline static const std::map<std::string, std::optional<Phase>> kPhases = {
      {"all", std::nullopt},
      {"prefill", Phase::kPrefill},
      {"decode", Phase::kDecode},
      {"mixed", Phase::kMixed}};

  std::string input_;
  std::string folder_;
  std::string by_ = "token";
  std::string phase_ = "all";
  std::size_t skip_warmup_ = 0;
  bool force_ = false;
  CycleQuestion question_;
  FilterOptions filter_;
};

}  // namespace

std::unique_ptr<Command> patterns_command() {
  return std::make_unique<PatternsCommand>();
}

}  // namespace tactus::cli
