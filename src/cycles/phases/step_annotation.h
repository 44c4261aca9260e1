#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cycles/phases/step_work.h"

namespace tactus {

/// What an engine wrote about one of its steps.
struct StepAnnotation {
  Phase phase = Phase::kUnknown;
  std::optional<std::int64_t> batch;           ///< requests
  std::optional<std::int64_t> context_tokens;  ///< of prompts, in this step
  std::optional<std::int64_t> generation_tokens;
  std::optional<std::int64_t> context;  ///< tokens that all sequences attend to

  bool operator==(const StepAnnotation&) const = default;
};

/// Reads the names that engines give their steps; nothing for any other name.
///   vLLM:   execute_context_2(512)_generation_3(3)
///           execute_context_1(888_788544)_generation_0(0)
///           execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)
///   SGLang: step[EXTEND bs=15 toks=15360], step[DECODE bs=32]
std::optional<StepAnnotation> parse_step_annotation(std::string_view name);

/// The phase of such a name; kUnknown for any other.
Phase phase_of_annotation(std::string_view name);

}  // namespace tactus
