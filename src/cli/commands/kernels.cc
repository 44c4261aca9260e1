#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/filter_options.h"
#include "cli/inputs/machines.h"
#include "cli/inputs/open_run.h"
#include "cli/terminal.h"
#include "kernels/kernel_pairs.h"
#include "kernels/trace/launch_table.h"
#include "page/kernel_answer.h"
#include "views/kernels/kernels_view.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kTerminalRows = 20;

struct Grouping {
  GroupBy by;
  const char* head;
};

class KernelsCommand final : public Command {
 public:
  std::string name() const override { return "kernels"; }
  std::string description() const override {
    return "Show every kernel: its time, what it computes and who launched it";
  }
  std::string details() const override {
    return "Lists the kernels of a run by the time they take, with their distribution, what they "
           "compute, the line of code that launched them and how close to the bound of the machine "
           "they are. With two runs it sets their operators side by side. A light recording "
           "(tactus "
           "record without --mode full) has no times of kernels; then it lists the launches.";
  }
  std::string examples() const override {
    return "  tactus kernels trace.json.gz             # the 20 kernels that take most time\n"
           "  tactus trace.json.gz                     # the same\n"
           "  tactus kernels run.tact --by source      # one row per line of code that launches\n"
           "  tactus kernels run.tact --by module      # the tree of the model's modules\n"
           "  # each layer on its own\n"
           "  tactus kernels run.tact --by module --unfold --top 0\n"
           "  tactus kernels run.tact --phase decode --by operator\n"
           "  tactus kernels h200.tact a6000.tact      # two runs, operator by operator\n"
           "  tactus kernels run.tact --hardware B200  # against the limits of another machine\n"
           "  tactus kernels run.tact --format csv --sources > kernels.csv\n"
           "  tactus kernels run.tact --device 0 --from 200ms --to 1.2s\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", inputs_, "a .tact file, or any input that import reads; two to compare them")
        .required()
        .file("RUN");
    options.add("--top", top_, "rows to show; 0 for all (default: 20 in a table, else all)");
    options.add("--by", by_, "one row per:")
        .choices({"kernel", "family", "operator", "source", "group", "module"})
        .type_name("WHAT");
    options.add("--unfold", unfold_,
                "with --by module: one row per layer, where the default is one row for all layers "
                "that repeat");
    options.add("--phase", phase_, "only kernels of this phase:")
        .choices(kPhaseChoices)
        .type_name("PHASE");
    options.add("--skip-warmup", skip_warmup_, "leave out the first N cycles of each process");
    options.add("--format", format_, "print as:")
        .choices({"table", "tsv", "csv", "md", "json"})
        .type_name("FORMAT");
    options.add("--json", json_, "the same as --format json");
    options.add("--sources", sources_, "CSV with the lines of code that launch, and with bounds");
    options.add("--full-names", full_names_, "kernels with their full names in the table");
    options.add("--capture", captures_, kCaptureHelp).file("TRACE");
    hardware_.add_one_to(options, "the device that RUN names");
    filter_.add_to(options);
  }

  Result<int> run(const CommonOptions& common) override {
    if (inputs_.size() > 2) {
      return usage_error(
          "kernels takes one RUN, or two to compare; tactus import makes one run of the ranks of a "
          "job");
    }
    if (unfold_ && by_ != "module") return usage_error("--unfold needs --by module");
    const Result<SliceFilter> filter = filter_.resolve();
    if (!filter) return filter.error();
    const Result<const HardwareProfile*> hardware = hardware_.machine(common);
    if (!hardware) return hardware.error();
    KernelQuestion question;
    question.filter = *filter;
    question.phase = kPhaseNames.at(phase_);
    question.by = kGroupings.at(by_).by;
    question.skip_warmup = skip_warmup_;
    question.unfold = unfold_;

    KernelsViewOptions view;
    view.format = json_ ? TableFormat::kJson : kFormats.at(format_);
    view.top = top_.value_or(view.format == TableFormat::kTable ? kTerminalRows : 0);
    view.width = text_columns();
    view.full_names = full_names_;
    view.sources = sources_;
    view.filtered = filter->limits_tracks() || filter->limits_time() || question.phase.has_value();
    view.skipped_steps = skip_warmup_;
    view.label_head = kGroupings.at(by_).head;
    view.lines = question.by == GroupBy::kSource;
    // If only the rows are wanted, bounds would just cost time, and the profiler's own columns have
    // no room for them.
    const bool rows_only = view.format == TableFormat::kTsv ||
                           (view.format == TableFormat::kCsv && hardware_.empty() && !sources_);
    question.whole = !rows_only || question.by != GroupBy::kKernel || inputs_.size() == 2;

    std::vector<Run> runs;
    std::vector<KernelReport> reports;
    for (const std::string& input : inputs_) {
      // Phases and cycles are those of the whole run, and calls of modules begin long before.
      const bool needs_all =
          question.phase || question.skip_warmup != 0 || question.by == GroupBy::kModule;
      Result<Run> run = open(input, common, needs_all ? std::nullopt : filter->window());
      if (!run) return run.error();
      note_times(*filter, input, common, *run);
      reports.push_back(report_kernels(*run, question));
      if (const Status status = run->status(); !status) return status.error();
      runs.push_back(std::move(*run));
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs.size() == 1 || !has_only_launches(runs[i])) continue;
      return input_error(fmt::format(
          "{}: a light recording has launches and no kernels to set beside others; tactus compare "
          "compares the steps of both, tactus record --mode full records times of kernels",
          inputs_[i]));
    }
    if (runs.size() == 2) {
      const KernelPairs pairs = pair_kernels(reports[0], reports[1], question.phase);
      return printed(print(show_kernel_pairs(pairs, runs[0], runs[1], view)));
    }
    std::optional<LaunchTable> launches;
    if (has_only_launches(runs[0])) launches = launch_table(runs[0], question.filter);
    view.launches = launches ? &*launches : nullptr;
    const KernelBounds bounds =
        rows_only ? KernelBounds() : bound_kernels(runs[0], reports[0], *hardware);
    if (const Status status = runs[0].status(); !status) return status.error();
    const bool shows_idle = !rows_only && (!launches || launches->shows_busy_time());
    const std::optional<IdleTime> idle =
        shows_idle ? idle_time_of(runs[0], question) : std::nullopt;
    view.idle = idle ? &*idle : nullptr;
    if (view.format == TableFormat::kJson) {
      return printed(
          write_kernels_json(reports[0], bounds, runs[0], view,
                             [](std::string_view piece) { return print(std::string(piece)); }));
    }
    return printed(print(show_kernels(reports[0], bounds, runs[0], view)));
  }

 private:
  static Result<int> printed(const Status& status) {
    if (!status) return status.error();
    return kDone;
  }

  Result<Run> open(const std::string& input, const CommonOptions& common,
                   const std::optional<TimeSpan>& window) const {
    Result<Run> run = open_for_reading(input, common, captures_, window);
    if (!run) return run;
    if (run->slices.empty() && !run->kernel_summary && run->patterns.rows != 0) {
      return usage_error(input +
                         ": holds patterns of cycles, not kernels; give the trace that "
                         "they were made from");
    }
    if (run->kernel_summary && (kPhaseNames.at(phase_) || skip_warmup_ != 0)) {
      return usage_error(input +
                         ": is a table, which does not say when a kernel ran; --phase and "
                         "--skip-warmup need a trace");
    }
    if (run->kernel_summary && by_ == "module") {
      return usage_error(input +
                         ": is a table, which does not say which module launched a kernel; --by "
                         "module needs a trace");
    }
    return run;
  }

  inline static const std::map<std::string, TableFormat> kFormats = {{"table", TableFormat::kTable},
                                                                     {"tsv", TableFormat::kTsv},
                                                                     {"csv", TableFormat::kCsv},
                                                                     {"md", TableFormat::kMarkdown},
                                                                     {"json", TableFormat::kJson}};
  inline static const std::map<std::string, Grouping> kGroupings = {
      {"kernel", {GroupBy::kKernel, ""}},
      {"family", {GroupBy::kFamily, "Family"}},
      {"operator", {GroupBy::kOperator, "Operator"}},
      {"source", {GroupBy::kSource, "Source"}},
      {"group", {GroupBy::kGroup, "Launch group"}},
      {"module", {GroupBy::kModule, "Module"}}};

  std::vector<std::string> inputs_;
  std::vector<std::string> captures_;
  std::optional<std::size_t> top_;
  std::string by_ = "kernel";
  std::string phase_ = "all";
  std::size_t skip_warmup_ = 0;
  std::string format_ = "table";
  bool full_names_ = false;
  bool sources_ = false;
  bool json_ = false;
  bool unfold_ = false;
  HardwareOption hardware_;
  FilterOptions filter_;
};

}  // namespace

std::unique_ptr<Command> kernels_command() {
  return std::make_unique<KernelsCommand>();
}

}  // namespace tactus::cli
