#pragma once

#include <cstdint>
#include <string>

#include "wire/record.h"

namespace tactus::record {

/// A step of an engine, in the words that engines use for their own annotations:
///   vLLM:    execute_context_2(512)_generation_3(3)
///   others:  step[EXTEND bs=15 toks=15360], step[DECODE bs=32],
///            step[MIXED bs=20 toks=147 prompts=1 prompt_toks=128]
std::string step_name(const wire::EngineStepPart& step);
/// "vLLM"
std::string engine_name(wire::Engine engine);
/// "prefill", "decode", "mixed" or "unknown"
std::string step_phase(const wire::EngineStepPart& step);

}  // namespace tactus::record
