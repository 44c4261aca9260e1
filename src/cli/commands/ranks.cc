#include "cli/command.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/open_run.h"
#include "cli/terminal.h"
#include "views/ranks/ranks_view.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kShownRows = 10;

class RanksCommand final : public Command {
 public:
  std::string name() const override { return "ranks"; }
  std::string description() const override {
    return "Show the ranks of a job side by side: who is late, who waits, what the links carry";
  }
  std::string details() const override {
    return "Cuts the steps of each rank into time that computes, communicates, copies or idles, "
           "matches the collectives of all ranks, and says which rank the others wait for, why, "
           "and how fast the collectives are. RUN is a folder with the traces of all ranks, a "
           ".tact file made of them, or the traces themselves.";
  }
  std::string examples() const override {
    return "  tactus ranks traces/                     # a folder with one trace per rank\n"
           "  tactus ranks rank0.json.gz rank1.json.gz\n"
           "  tactus ranks job.tact --phase decode --skip-warmup 3\n"
           "  tactus ranks job.tact --format csv > ranks.csv\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", inputs_, "a folder, a .tact file, or the traces of all ranks")
        .required()
        .file("RUN");
    options.add("--top", top_, "rows of collectives and operators; 0 for all (default: 10)");
    options.add("--format", format_, "print as:")
        .choices({"table", "md", "csv", "json"})
        .type_name("FORMAT");
    options.add("--json", json_, "the same as --format json");
    options_.add_to(options);
  }

  Result<int> run(const CommonOptions& common) override {
    Result<Run> run = open_traces(inputs_, common);
    if (!run) return run.error();
    const Result<Cycles> cycles = options_.find(inputs_.front(), common, *run);
    if (!cycles) return cycles.error();
    const RankReport report = report_ranks(*run, *cycles, thread_count(common));
    if (const Status status = run->status(); !status) return status.error();
    RanksViewOptions view;
    view.format = json_ ? RanksFormat::kJson : kFormats.at(format_);
    view.width = text_columns();
    view.top = top_.value_or(view.format == RanksFormat::kTable ? kShownRows : 0);
    if (const Status status = print(show_ranks(report, *run, view)); !status) {
      return status.error();
    }
    return kDone;
  }

 private:
  inline static const std::map<std::string, RanksFormat> kFormats = {{"table", RanksFormat::kTable},
                                                                     {"md", RanksFormat::kMarkdown},
                                                                     {"csv", RanksFormat::kCsv},
                                                                     {"json", RanksFormat::kJson}};

  std::vector<std::string> inputs_;
  CycleOptions options_;
  std::optional<std::size_t> top_;
  std::string format_ = "table";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> ranks_command() {
  return std::make_unique<RanksCommand>();
}

}  // namespace tactus::cli
