#include "record/session/fill/engine_step.h"

#include <fmt/format.h>

#include <array>

namespace tactus::record {
namespace {

constexpr std::uint32_t kUnknown = wire::kUnknownCount;
/// ForwardMode of SGLang, from 1 on.
constexpr std::array kModes = {"EXTEND", "DECODE",        "MIXED",
                               "IDLE",   "TARGET_VERIFY", "DRAFT_EXTEND"};

/// The parts are known and do not contradict each other.
bool is_split(const wire::EngineStepPart& step) {
  return step.sequences != kUnknown && step.tokens != kUnknown &&
         step.context_sequences != kUnknown && step.context_tokens != kUnknown &&
         step.context_sequences <= step.sequences && step.context_tokens <= step.tokens;
}

std::string mode_of(const wire::EngineStepPart& step) {
  if (step.engine == wire::Engine::kSglang && step.mode >= 1 && step.mode <= kModes.size()) {
    return kModes[step.mode - 1];
  }
  const std::string phase = step_phase(step);
  return phase == "prefill"  ? "EXTEND"
         : phase == "decode" ? "DECODE"
         : phase == "mixed"  ? "MIXED"
                             : "UNKNOWN";
}

}  // namespace

std::string engine_name(wire::Engine engine) {
  switch (engine) {
    case wire::Engine::kVllm: return "vLLM";
    case wire::Engine::kSglang: return "SGLang";
    case wire::Engine::kTransformers: return "transformers";
    default: return "unknown";
  }
}

std::string step_phase(const wire::EngineStepPart& step) {
  constexpr std::uint32_t kExtend = 1, kDecode = 2, kMixed = 3;
  if (step.engine == wire::Engine::kSglang) {
    return step.mode == kExtend   ? "prefill"
           : step.mode == kDecode ? "decode"
           : step.mode == kMixed  ? "mixed"
                                  : "unknown";
  }
  if (!is_split(step)) return "unknown";
  if (step.context_sequences == 0) return "decode";
  return step.context_sequences == step.sequences ? "prefill" : "mixed";
}

std::string step_name(const wire::EngineStepPart& step) {
  if (step.engine == wire::Engine::kVllm && is_split(step)) {
    return fmt::format("execute_context_{}({})_generation_{}({})", step.context_sequences,
                       step.context_tokens, step.sequences - step.context_sequences,
                       step.tokens - step.context_tokens);
  }
  std::string name = "step[" + mode_of(step);
  if (step.sequences != kUnknown) name += fmt::format(" bs={}", step.sequences);
  if (step.tokens != kUnknown && mode_of(step) != "DECODE")
    name += fmt::format(" toks={}", step.tokens);
  if (step_phase(step) == "mixed" && is_split(step)) {
    name += fmt::format(" prompts={} prompt_toks={}", step.context_sequences, step.context_tokens);
  }
  return name + "]";
}

}  // namespace tactus::record
