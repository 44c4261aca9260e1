#include "cycles/phases/phase_functions.h"

#include <string_view>

#include "names/python_frame.h"

namespace tactus {
namespace {

/// A word like "decode" alone says nothing: texts and
/// metadata are decoded in every step.
Phase phase_of_function(std::string_view function) {
  if (const std::size_t dot = function.rfind('.'); dot != std::string_view::npos) {
    function.remove_prefix(dot + 1);
  }
  for (const std::string_view name : {"forward_extend", "forward_prefill", "forward_split_prefill",
                                      "prefill_step", "run_prefill"}) {
    if (function == name) return Phase::kPrefill;
  }
  for (const std::string_view name : {"forward_decode", "decode_step", "run_decode"}) {
    if (function == name) return Phase::kDecode;
  }
  return Phase::kUnknown;
}

}  // namespace

Phase PhasesOfFunctions::of(std::uint32_t name) {
  if (name >= known_.size()) return Phase::kUnknown;
  std::uint8_t& phase = known_[name];
  if (phase == kNotLookedAt) {
    const PythonFrame frame = read_python_frame(run_.strings[StringId(name)]);
    phase = static_cast<std::uint8_t>(phase_of_function(frame.function));
  }
  return static_cast<Phase>(phase);
}

}  // namespace tactus
