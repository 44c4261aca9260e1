#include "cli/inputs/cycle_options.h"

#include "cli/inputs/open_run.h"
#include "cycles/cycle_selection.h"

namespace tactus::cli {

void CycleOptions::add_to(Options& options) {
  options.add("--anchor", anchor_,
              "the annotation, Python function or framework op that marks a cycle (default: found "
              "automatically)");
  options
      .add("--by", by_,
           "token (default): a cycle is a step of the engine; layer: a layer of the model")
      .choices({"token", "layer"})
      .type_name("WHAT");
  options.add("--phase", phase_, "only cycles of this phase:")
      .choices(kPhaseChoices)
      .type_name("PHASE");
  options.add("--skip-warmup", skip_warmup_, "leave out the first N cycles of each process");
  filter_.add_to(options);
}

Result<Cycles> CycleOptions::find(const std::string& input, const CommonOptions& common,
                                  Run& run) const {
  const Result<SliceFilter> filter = filter_.resolve();
  if (!filter) return filter.error();
  note_times(*filter, input, common, run);
  const CycleQuestion question{.filter = *filter, .anchor = anchor_, .by_layer = by_ == "layer"};
  Result<Cycles> cycles = find_cycles(run, question);
  if (!cycles) return Error{cycles.error().code, input + ": " + cycles.error().message};
  skip_warmup(skip_warmup_, *cycles);
  if (const std::optional<Phase> phase = kPhaseNames.at(phase_)) keep_phase(*phase, *cycles);
  return cycles;
}

}  // namespace tactus::cli
