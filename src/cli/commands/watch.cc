#include "cli/command.h"
#include "cli/terminal.h"
#include "views/watch/evaluation_view.h"
#include "watch/evaluate/evaluation.h"
#include "watch/sources/step_csv.h"

namespace tactus::cli {
namespace {

class WatchCommand final : public Command {
 public:
  std::string name() const override { return "watch"; }
  std::string description() const override {
    return "Watch a server's steps and say when they take longer than their work explains";
  }
  std::string details() const override { return "."; }
  std::string examples() const override { return "  tactus watch run.tact\n"; }
  void add_options(Options& options) override {
    options.add("--evaluate", evaluate_, "score").file("CSV");
  }
  Result<int> run(const CommonOptions& common) override {
    Result<watch::StepTable> table = watch::read_step_csv(evaluate_);
    if (!table) return table.error();
    const auto progress = make_progress(common.quiet);
    const Result<watch::Evaluation> e =
        watch::evaluate(*table, {.threads = thread_count(common)}, *progress);
    if (!e) return e.error();
    if (Status status = print(show_evaluation_text(*e, text_columns())); !status) return status.error();
    return kDone;
  }

 private:
  std::string evaluate_;
};

}  // namespace

std::unique_ptr<Command> watch_command() {
  return std::make_unique<WatchCommand>();
}

}  // namespace tactus::cli
