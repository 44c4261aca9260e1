#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/checking/tolerance.h"
#include "operators/definition.h"

namespace tactus {

/// The result of comparing outputs with their definition.
struct CheckedOutputs {
  bool right = true;
  std::int64_t checked = 0;  ///< numbers compared
  std::int64_t wrong = 0;    ///< of these
  double max_rel_err = 0;    ///< largest |difference| / max(|value|, spacing of the type at 1)
  double slack_used = 0;     ///< largest share of its slack that a right number used
  std::string first;         ///< the first wrong one, in words
  std::string variant;       ///< which of the definition's variants fits; empty: the definition
  std::vector<Tolerance> tolerances;      ///< what was allowed, by output
  std::vector<std::int64_t> units;        ///< that were compared, ascending
  std::vector<std::int64_t> wrong_units;  ///< of these

  void add(const CheckedOutputs& other);
};

/// Compares one unit of a candidate's output. With a variant: with what that expects.
CheckedOutputs judge_unit(const OperatorDefinition& definition, const Problem& problem,
                          const HostTensors& before, const HostTensors& after, std::int64_t unit,
                          const OperatorVariant* variant = nullptr);

/// Compares units: all of them, or a random choice with about `work` multiplications; the first,
/// the last and `besides` are always among them. If they are wrong by the definition and right by
/// one of its variants, the judgement is that of the variant.
CheckedOutputs judge(const OperatorDefinition& definition, const Problem& problem,
                     const HostTensors& before, const HostTensors& after, double work,
                     std::uint64_t seed, unsigned threads,
                     std::span<const std::int64_t> besides = {});

/// What was allowed, in words, by output: "out: within 1 ulp of bf16".
std::string tolerance_words(const CheckedOutputs& judgement, const Problem& problem);

/// "out[3, 17]".
std::string place_words(const TensorSpec& spec, std::int64_t index);

}  // namespace tactus
