#include "cli/inputs/cycle_options.h"

#include <fmt/format.h>

#include "cli/inputs/open_run.h"
#include "cycles/cycle_selection.h"

namespace tactus::cli {

void StepOptions::add_to(Options& options) {
  options.add("--phase", phase_, "only steps of this phase:")
      .choices(kPhaseChoices)
      .type_name("PHASE");
  options.add("--skip-warmup", skip_warmup_, "leave out the first N steps of each process");
}

void StepOptions::keep_wanted(Cycles& cycles) const {
  skip_warmup(skip_warmup_, cycles);
  if (const std::optional<Phase> phase = kPhaseNames.at(phase_)) keep_phase(*phase, cycles);
}

Result<Cycles> StepOptions::find(const Run& run, const SliceFilter& filter,
                                 const std::string& input) const {
  if (run.slices.empty()) {
    return usage_error(input + ": holds no slices; --phase and --skip-warmup need a trace");
  }
  Result<Cycles> cycles = find_cycles(run, {.filter = filter, .anchor = {}, .by_layer = false});
  if (!cycles) return Error{cycles.error().code, input + ": " + cycles.error().message};
  const std::size_t found = cycles->cycles.size();
  keep_wanted(*cycles);
  if (!cycles->cycles.empty()) return cycles;
  std::string asked = phase_ == "all" ? std::string() : "--phase " + phase_;
  if (skip_warmup_ != 0) {
    asked += fmt::format("{}--skip-warmup {}", asked.empty() ? "" : " and ", skip_warmup_);
  }
  return usage_error(fmt::format("{}: none of its {} steps is left by {}; tactus cycles lists them",
                                 input, found, asked));
}

void CycleOptions::add_to(Options& options) {
  options.add("--anchor", anchor_,
              "the annotation, Python function or framework op that marks a cycle (default: found "
              "automatically)");
  options
      .add("--by", by_,
           "token (default): a cycle is a step of the engine; layer: a layer of the model")
      .choices({"token", "layer"})
      .type_name("WHAT");
  steps_.add_to(options);
  filter_.add_to(options);
}

Result<Cycles> CycleOptions::find(const std::string& input, const CommonOptions& common, Run& run,
                                  bool silence_is_pause) const {
  const Result<SliceFilter> filter = filter_.resolve();
  if (!filter) return filter.error();
  note_times(*filter, input, common, run);
  const CycleQuestion question{.filter = *filter,
                               .anchor = anchor_,
                               .by_layer = by_ == "layer",
                               .silence_is_pause = silence_is_pause};
  Result<Cycles> cycles = find_cycles(run, question);
  if (!cycles) return Error{cycles.error().code, input + ": " + cycles.error().message};
  steps_.keep_wanted(*cycles);
  return cycles;
}

}  // namespace tactus::cli
