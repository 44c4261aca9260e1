#include "cli/command.h"
#include "cli/inputs/open_run.h"
#include "cli/terminal.h"
#include "views/run/info_view.h"

namespace tactus::cli {
namespace {

class InfoCommand final : public Command {
 public:
  std::string name() const override { return "info"; }
  std::string description() const override {
    return "Show what a recording holds, and what was dropped or repaired";
  }
  std::string details() const override {
    return "Shows the source, span, devices and processes of a recording, and how many slices of "
           "each kind it has.";
  }
  std::string examples() const override {
    return "  tactus info run.tact\n"
           "  tactus info trace.json.gz --json\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", input_, "a .tact file, or any input that import reads")
        .required()
        .file("RUN");
    options.add("--json", json_, "print JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    const Result<Run> run = open_for_reading(input_, common);
    if (!run) return run.error();
    const std::string text = show_info(*run, json_, text_columns());
    if (const Status status = run->status(); !status) return status.error();
    if (const Status status = print(text); !status) return status.error();
    return kDone;
  }

 private:
  std::string input_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> info_command() {
  return std::make_unique<InfoCommand>();
}

}  // namespace tactus::cli
