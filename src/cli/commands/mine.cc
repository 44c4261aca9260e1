#include "bounds/mining/mine.h"

#include "base/file.h"
#include "cli/command.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/machines.h"
#include "cli/terminal.h"
#include "views/catalogue/mine_view.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kShapes = 3;

class MineCommand final : public Command {
 public:
  std::string name() const override { return "mine"; }
  std::string description() const override {
    return "From traces to a catalogue: operators, hot shapes, times, how far from the bound";
  }
  std::string examples() const override {
    return "  tactus mine trace.json.gz                     what the GPU's time goes to, by "
           "operator and shape\n"
           "  tactus mine mon.tact tue.tact -o ours.json    many runs; roofline and bench read the "
           "file\n"
           "  tactus mine run.tact --what-if gemm=0.9       what faster GEMMs would bring\n"
           "  tactus mine run.tact --phase decode           only what decode steps are made of\n"
           "  tactus mine run.tact --hardware H100 --top 0  all shapes, for a machine that RUN "
           "does not name\n";
  }

  void add_options(CLI::App& app) override {
    app.add_option("RUN", inputs_, "traces or .tact files with shapes (record_shapes=True)")
        ->required();
    app.add_option("-o,--output", output_, "write the catalogue here (JSON)")->type_name("FILE");
    app.add_flag("--force", force_, "overwrite the output file");
    app.add_option("--top", top_, "shapes shown of each operator; 0 for all (default: 3)")
        ->type_name("N");
    app.add_option("--what-if", what_if_,
                   "time saved if OPERATOR ran at S of its bound (gemm=0.9); may be repeated")
        ->type_name("OPERATOR=S")
        ->allow_extra_args(false);
    app.add_option("--capture", captures_,
                   "a trace of the capture of the CUDA graphs that RUN replays")
        ->type_name("TRACE")
        ->allow_extra_args(false);
    app.add_flag("--json", json_, "as JSON");
    app.add_option("--phase", phase_, "only kernels of this phase: prefill, decode, mixed or all")
        ->check(CLI::IsMember(kPhaseNames).description(""))
        ->type_name("PHASE");
    app.add_option("--skip-warmup", skip_warmup_, "leave out the first N cycles of each process")
        ->type_name("N");
    hardware_.add_one_to(app);
    filter_.add_to(app);
  }

  Result<int> run(const CommonOptions& common) override {
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
    for (const std::string& input : inputs_) {
      Result<Run> run = open_for_reading(input, common, captures_);
      if (!run) return run.error();
      const KernelReport report = report_kernels(*run, kernels);
      const bool filtered =
          filter->limits_tracks() || filter->limits_time() || kernels.phase || skip_warmup_ != 0;
      if (filtered && report.kernels.size() == 0 && run->status()) {
        return usage_error(input + ": has no kernels that the filters let through");
      }
      const Status added = miner.add(*run, report, *hardware, input);
      if (const Status status = run->status(); !status) return status.error();
      if (!added) return added.error();
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
    }
    const Status status =
        print(json_ ? mine_json(mined, answers)
                    : mine_text(mined, answers, {.top = top_, .width = text_columns()}));
    if (!status) return status.error();
    return kDone;
  }

 private:
  Status write(const Mined& mined) const {
    Result<OutputFile> file = OutputFile::create(output_, force_);
    if (!file) return file.error();
    if (const Status status = file->write(catalogue_text(mined_catalogue(mined))); !status) {
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
