#include "cli/command.h"
#include "cli/terminal.h"
#include "kernels/kernel_summary.h"
#include "views/kernels_view.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kTerminalRows = 20;

class KernelsCommand final : public Command {
 public:
  std::string name() const override { return "kernels"; }
  std::string description() const override {
    return "Every kernel by name: how often it ran and how long";
  }
  std::string examples() const override {
    return "  tactus kernels trace.json.gz                  the 20 that take most time\n"
           "  tactus trace.json.gz                          the same\n"
           "  tactus kernels run.tact --format csv > kernels.csv\n"
           "  tactus kernels run.tact --device 0 --from 200ms --to 1.2s\n";
  }

  void add_options(CLI::App& app) override {
    app.add_option("RUN", input_, "a .tact file or anything that import reads")->required();
    app.add_option("--top", top_,
                   "how many rows; 0 for all (default: 20 on the terminal, else all)");
    app.add_option("--format", format_, "table (default), tsv, csv, md or json")
        ->check(CLI::IsMember(kFormats).description(""))
        ->type_name("FORMAT");
    app.add_flag("--json", json_, "the same as --format json");
    filter_.add_to(app);
  }

  Result<int> run(const CommonOptions& common) override {
    const Result<SliceFilter> filter = filter_.resolve();
    if (!filter) return filter.error();
    const Result<Run> run = open_for_reading(input_, common);
    if (!run) return run.error();
    if (run->slices.empty() && !run->kernel_summary && run->patterns.rows != 0) {
      return usage_error(input_ +
                         ": holds patterns of cycles, not kernels; give the trace that "
                         "they were made from");
    }
    const KernelTable table = summarise_kernels(*run, *filter);
    if (const Status status = run->status(); !status) return status.error();

    KernelsViewOptions view;
    view.format = json_ ? TableFormat::kJson : kFormats.at(format_);
    view.top = top_.value_or(view.format == TableFormat::kTable ? kTerminalRows : 0);
    view.width = text_columns();
    const Status status = print(show_kernels(table, *run, view));
    if (!status) return status.error();
    return kDone;
  }

 private:
  inline static const std::map<std::string, TableFormat> kFormats = {{"table", TableFormat::kTable},
                                                                     {"tsv", TableFormat::kTsv},
                                                                     {"csv", TableFormat::kCsv},
                                                                     {"md", TableFormat::kMarkdown},
                                                                     {"json", TableFormat::kJson}};

  std::string input_;
  std::optional<std::size_t> top_;
  std::string format_ = "table";
  bool json_ = false;
  FilterOptions filter_;
};

}  // namespace

std::unique_ptr<Command> kernels_command() {
  return std::make_unique<KernelsCommand>();
}

}  // namespace tactus::cli
