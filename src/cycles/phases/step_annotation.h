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
  std::optional<std::int64_t> prompts;  ///< requests that read theirs; the others generate

  bool operator==(const StepAnnotation&) const = default;
};

/// Lengths of the sequences in one part of a step, summed up. Queries are the tokens computed in
/// this step, keys are all tokens of a sequence with them.
struct LengthSums {
  std::int64_t sequences = 0;
  std::int64_t queries = 0;
  std::optional<std::int64_t> keys;
  std::optional<std::int64_t> query_squares;  ///< sum of queries * queries, per sequence
  std::optional<std::int64_t> query_keys;     ///< sum of queries * keys, per sequence

  bool operator==(const LengthSums&) const = default;
};

/// What an engine wrote about the lengths in one step.
struct StepLengths {
  LengthSums context;     ///< sequences that are still reading their prompt
  LengthSums generation;  ///< sequences that generate

  /// Both parts together; nothing for the sums that one part does not give or that are too large.
  LengthSums all() const;
  bool operator==(const StepLengths&) const = default;
};

/// Lengths in the names that vLLM gives its steps (see below): sq, sk, sqsq and sqsk are the sums
/// above in their order, and 888_788544 is queries and their squares. Nothing for other names and
/// for sums that contradict each other.
std::optional<StepLengths> parse_step_lengths(std::string_view name);

/// Reads the names that engines give their steps; nothing for any other name.
///   vLLM:   execute_context_2(512)_generation_3(3)
///           execute_context_0(0)_generation_3(12): each with three tokens that were drafted
///           execute_context_1(888_788544)_generation_0(0)
///           execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)
///   SGLang: step[EXTEND bs=15 toks=15360], step[DECODE bs=32]
///   Tactus: step[MIXED bs=20 toks=147 prompts=1 prompt_toks=128], as the recorder names what it
///   read
std::optional<StepAnnotation> parse_step_annotation(std::string_view name);

/// The phase of such a name; kUnknown for any other.
Phase phase_of_annotation(std::string_view name);

}  // namespace tactus
