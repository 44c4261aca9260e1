#include "cli/command.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/open_run.h"
#include "cli/terminal.h"
#include "views/cycles/cycles_view.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kTerminalRows = 20;

class CyclesCommand final : public Command {
 public:
  std::string name() const override { return "cycles"; }
  std::string description() const override {
    return "Show the steps of the engine's loop: when, how long, prefill or decode";
  }
  std::string details() const override {
    return "A cycle is one step of an inference engine: one forward pass over a batch. Cycles are "
           "found by an annotation, a Python function, a framework op or the sequence of kernels, "
           "whichever the recording has.";
  }
  std::string examples() const override {
    return "  tactus cycles trace.json.gz\n"
           "  tactus cycles run.tact --skip-warmup 3 --phase decode\n"
           "  tactus cycles run.tact --by layer  # layers of the model instead of steps\n"
           "  tactus cycles run.tact --anchor Scheduler.run_batch --json\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", input_, "a .tact file, or any input that import reads")
        .required()
        .file("RUN");
    options.add("--top", top_, "cycles that the table shows; 0 for all (default: 20)");
    options.add("--json", json_, "print JSON");
    options_.add_to(options);
  }

  Result<int> run(const CommonOptions& common) override {
    Result<Run> run = open_trace(input_, common);
    if (!run) return run.error();
    const Result<Cycles> cycles = options_.find(input_, common, *run, true);
    if (!cycles) return cycles.error();
    if (const Status status = run->status(); !status) return status.error();
    const CyclesViewOptions view{.json = json_, .top = top_, .width = text_columns()};
    if (const Status status = print(show_cycles(*cycles, summarise_phases(*cycles), *run, view));
        !status) {
      return status.error();
    }
    return kDone;
  }

 private:
  std::string input_;
  CycleOptions options_;
  std::size_t top_ = kTerminalRows;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> cycles_command() {
  return std::make_unique<CyclesCommand>();
}

}  // namespace tactus::cli
