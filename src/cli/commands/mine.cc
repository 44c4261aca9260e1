#include "bounds/mining/mine.h"

#include "cli/command.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/filter_options.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/machines.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "views/catalogue/mine_view.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kShapes = 3;

class MineCommand final : public Command {
 public:
  std::string name() const override { return "mine"; }
  std::string description() const override {
    return "Make a catalogue from traces: operators, hot shapes, times, distance to the bound";
  }
  std::string details() const override {
    return "Finds which operators with which shapes your own runs spend their time in. roofline, "
           "bench and operators read the catalogue with --catalogue.";
  }
  std::string examples() const override {
    return "  tactus mine trace.json.gz                     # where the GPU time goes, by operator "
           "and shape\n"
           "  tactus mine mon.tact tue.tact -o ours.json    # several runs; roofline and bench "
           "read the file\n"
           "  tactus mine run.tact --what-if gemm=0.9       # what faster GEMMs would save\n"
           "  tactus mine run.tact --phase decode           # decode steps only\n"
           "  tactus mine run.tact --hardware H100 --top 0  # all shapes, on a machine that RUN "
           "does not name\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", inputs_, "traces or .tact files with shapes (record_shapes=True)")
        .required()
        .file("RUN");
    options
        .add("-o,--output", output_, "write the catalogue (JSON); - prints it instead of the table")
        .file();
    options.add("--force", force_, "overwrite the output file");
    options.add("--top", top_, "shapes to show per operator; 0 for all (default: 3)");
    options
        .add("--what-if", what_if_,
             "show the time saved if OPERATOR ran at S of its bound (gemm=0.9); may be repeated")
        .type_name("OPERATOR=S");
    options.add("--capture", captures_, kCaptureHelp).file("TRACE");
    options.add("--json", json_, "print JSON");
    options.add("--phase", phase_, "only kernels of this phase:")
        .choices(kPhaseChoices)
        .type_name("PHASE");
    options.add("--skip-warmup", skip_warmup_, "leave out the first N cycles of each process");
    hardware_.add_one_to(options, "the device that RUN names");
    filter_.add_to(options);
  }

  Result<int> run(const CommonOptions& common) override {
    if (json_ && output_ == kStandardOutput) {
      return usage_error("-o - and --json: both would go to standard output; give one of them");
    }
    std::vector<std::string> inputs = inputs_;
    inputs.insert(inputs.end(), captures_.begin(), captures_.end());
    if (Status safe = guard_inputs({output_}, inputs); !safe) return safe.error();
    const Result<const HardwareProfile*> hardware = hardware_.machine(common);
    if (!hardware) return hardware.error();
    const Result<SliceFilter> filter = filter_.resolve();
    if (!filter) return filter.error();
    KernelQuestion kernels;
    kernels.filter = *filter;
    kernels.phase = kPhaseNames.at(phase_);
    kernels.skip_warmup = skip_warmup_;
    kernels.phases = true;
    Miner miner;
    Account account;
    for (const std::string& input : inputs_) {
      Result<Run> run = open_for_reading(input, common, captures_);
      if (!run) return run.error();
      note_times(*filter, input, common, *run);
      const KernelReport report = report_kernels(*run, kernels);
      const bool filtered =
          filter->limits_tracks() || filter->limits_time() || kernels.phase || skip_warmup_ != 0;
      if (filtered && report.kernels.size() == 0 && run->status()) {
        return usage_error(input + ": has no kernels that the filters let through");
      }
      const Status added = miner.add(*run, report, *hardware, input);
      if (const Status status = run->status(); !status) return status.error();
      if (!added) return added.error();
      account.add(*run);
    }
    const Mined mined = miner.finish();
    std::vector<WhatIfAnswer> answers;
    for (const std::string& text : what_if_) {
      const Result<WhatIf> question = read_what_if(text, mined);
      if (!question) return question.error();
      answers.push_back(answer(*question, mined));
    }
    if (!output_.empty()) {
      if (const Status written = write(mined); !written) return written.error();
      if (output_ == kStandardOutput) return kDone;
    }
    const Status status =
        print(json_ ? mine_json(mined, answers, account)
                    : mine_text(mined, answers, {.top = top_, .width = text_columns()}));
    if (!status) return status.error();
    return kDone;
  }

 private:
  Status write(const Mined& mined) const {
    Result<OutputFile> file = create_output(output_, force_);
    if (!file) return file.error();
    if (Status status = file->write(catalogue_text(mined_catalogue(mined))); !status) {
      return status;
    }
    return file->commit();
  }

  std::vector<std::string> inputs_;
  std::vector<std::string> captures_;
  std::vector<std::string> what_if_;
  std::string output_;
  bool force_ = false;
  std::size_t top_ = kShapes;
  bool json_ = false;
  std::string phase_ = "all";
  std::size_t skip_warmup_ = 0;
  HardwareOption hardware_;
  FilterOptions filter_;
};

}  // namespace

std::unique_ptr<Command> mine_command() {
  return std::make_unique<MineCommand>();
}

}  // namespace tactus::cli
