#include "bench/trial/call_judge.h"

#include <fmt/format.h>

#include "bench/checking/judge.h"
#include "bench/checking/survivors.h"
#include "bench/diagnosis/diagnose.h"

namespace tactus {
namespace {

/// Units that nearly the same inputs make different, as far as units follow the order of a tensor.
std::vector<std::int64_t> twisted_units(const OperatorDefinition& definition,
                                        const Problem& problem, InputKey key) {
  std::vector<std::int64_t> units;
  const std::int64_t count = definition.units(problem);
  for (const TensorSpec& spec : problem.inputs) {
    const NumberRange range = twisted_range(spec, key);
    if (range.count == 0) continue;
    const double at = static_cast<double>(range.first) / static_cast<double>(spec.elements());
    units.push_back(static_cast<std::int64_t>(at * static_cast<double>(count)));
  }
  return units;
}

}  // namespace

bool CallJudge::is_right(const Call& call) {
  const Problem& problem = scene_.problem();
  const OperatorDefinition& definition = scene_.task.definition;
  const Rooms::Place& place = call.made.place;
  if (!scene_.in_place) calls_.rooms().rebuild(blocks_.drawn, place.key, blocks_.audited);
  const std::string guard = broken_guard(problem, scene_.layout, call.after);
  if (!guard.empty()) return scene_.wrong(fmt::format("{}{}", guard, call.when));
  if (call.inputs_too) {
    const Result<std::string> input = calls_.rooms().changed_input(place.address, blocks_.audited);
    if (!input) return calls_.lost(input.error().message);
    if (!input->empty()) {
      return scene_.wrong(fmt::format("changed its input {}{}", *input, call.when));
    }
  }
  const HostTensors inputs = tensors_at(problem, scene_.layout, blocks_.audited);
  const HostTensors outputs = tensors_at(problem, scene_.layout, call.after);
  const CheckedOutputs judgement =
      judge(definition, problem, inputs, outputs, call.work, random_.next(),
            scene_.options().threads, twisted_units(definition, problem, place.key));
  record_judgement(definition, problem, inputs, outputs, judgement, scene_.row);
  if (!judgement.right) {
    return scene_.wrong(fmt::format("{}{} ({} of {} numbers)", judgement.first, call.when,
                                    judgement.wrong, judgement.checked));
  }
  if (call.made.setting == CallSetting::kTwisted) ++judged_twists_;
  if (stays(call.made.setting)) return true;  // most results are the same as before
  return all_is_written(call, inputs, outputs);
}

bool CallJudge::all_is_written(const Call& call, const HostTensors& inputs,
                               const HostTensors& outputs) {
  const Problem& problem = scene_.problem();
  const OperatorDefinition& definition = scene_.task.definition;
  const unsigned threads = scene_.options().threads;
  const bool decoy = call.made.setting == CallSetting::kDecoy;
  const std::string survivor =
      surviving_prefill(problem, scene_.layout, call.after,
                        {.decoy = decoy ? blocks_.decoy : nullptr}, definition.may_stay, threads);
  if (survivor.empty()) return true;
  // A row that the key moved to where it was before has the result that it had. A number that is
  // right for these inputs is no survivor, so all of them are compared, as far as that is quick.
  constexpr double kQuick = 2e10;  // multiplications, about ten seconds
  const double whole =
      static_cast<double>(definition.units(problem)) * definition.unit_work(problem);
  if (decoy && whole <= kQuick &&
      judge(definition, problem, inputs, outputs, 2 * kQuick, random_.next(), threads).right) {
    return true;
  }
  if (!decoy) scene_.row.failure = diagnose_unwritten(definition, problem, inputs, outputs);
  return scene_.wrong(fmt::format("{}{}", survivor, call.when));
}

}  // namespace tactus
