#include "cycles/cycles.h"

#include "cli/command.h"
#include "cli/terminal.h"
#include "cycles/cycle_selection.h"
#include "views/cycles_view.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kTerminalRows = 20;

class CyclesCommand final : public Command {
 public:
  std::string name() const override { return "cycles"; }
  std::string description() const override {
    return "The steps of the engine's loop: when, how long, prefill or decode";
  }
  std::string examples() const override {
    return "  tactus cycles trace.json.gz\n"
           "  tactus cycles run.tact --skip-warmup 3 --phase decode\n"
           "  tactus cycles run.tact --by layer\n"
           "  tactus cycles run.tact --anchor Scheduler.run_batch --json\n";
  }

  void add_options(CLI::App& app) override {
    app.add_option("RUN", input_, "a .tact file or anything that import reads")->required();
    app.add_option("--anchor", anchor_,
                   "the annotation, Python function or framework op that marks a cycle (default: "
                   "found)")
        ->type_name("NAME");
    app.add_option("--by", by_, "token (default): steps of the engine; layer: layers of the model")
        ->check(CLI::IsMember({"token", "layer"}).description(""))
        ->type_name("WHAT");
    app.add_option("--phase", phase_, "only cycles of this phase: prefill, decode, mixed or all")
        ->check(CLI::IsMember(kPhases).description(""))
        ->type_name("PHASE");
    app.add_option("--skip-warmup", skip_warmup_, "leave out the first N cycles of each process")
        ->type_name("N");
    app.add_option("--top", top_, "how many cycles the table shows; 0 for all (default: 20)");
    app.add_flag("--json", json_, "print JSON");
    filter_.add_to(app);
  }

  Result<int> run(const CommonOptions& common) override {
    const Result<SliceFilter> filter = filter_.resolve();
    if (!filter) return filter.error();
    const Result<Run> run = open_trace(input_, common);
    if (!run) return run.error();
    const CycleQuestion question{.filter = *filter, .anchor = anchor_, .by_layer = by_ == "layer"};
    Result<Cycles> cycles = find_cycles(*run, question);
    if (!cycles) return Error{cycles.error().code, input_ + ": " + cycles.error().message};
    if (const Status status = run->status(); !status) return status.error();
    skip_warmup(skip_warmup_, *cycles);
    if (const std::optional<Phase> phase = kPhases.at(phase_)) keep_phase(*phase, *cycles);
    const CyclesViewOptions view{.json = json_, .top = top_, .width = text_columns()};
    if (const Status status = print(show_cycles(*cycles, *run, view)); !status) {
      return status.error();
    }
    return kDone;
  }

 private:
  inline static const std::map<std::string, std::optional<Phase>> kPhases = {
      {"all", std::nullopt},
      {"prefill", Phase::kPrefill},
      {"decode", Phase::kDecode},
      {"mixed", Phase::kMixed}};

  std::string input_;
  std::string anchor_;
  std::string by_ = "token";
  std::string phase_ = "all";
  std::size_t skip_warmup_ = 0;
  std::size_t top_ = kTerminalRows;
  bool json_ = false;
  FilterOptions filter_;
};

}  // namespace

std::unique_ptr<Command> cycles_command() {
  return std::make_unique<CyclesCommand>();
}

}  // namespace tactus::cli
