#pragma once

#include <cstdint>
#include <string>

#include "operators/definition.h"

namespace tactus {

/// The result of comparing outputs with their definition.
struct Judgement {
  bool right = true;
  std::int64_t checked = 0;  ///< numbers compared
  std::int64_t wrong = 0;    ///< of these
  double max_rel_err = 0;    ///< largest |difference| / max(|value|, spacing of the type at 1)
  std::string first;         ///< the first wrong one, in words

  void add(const Judgement& other);
};

/// True if `got` is the rounding, to the type, of some number within `slack` of `value`. NaN is
/// right only if the value is NaN or does not fit a type without infinity. Infinity is right only
/// if the value is infinite or rounds to it.
bool within(NumberType type, double got, double value, double slack);

/// Compares one unit of a candidate's output.
Judgement judge_unit(const OperatorDefinition& definition, const Problem& problem,
                     const HostTensors& before, const HostTensors& after, std::int64_t unit);

/// Compares units: all of them, or a random choice with about `work` multiplications; the first and
/// the last are always among them.
Judgement judge(const OperatorDefinition& definition, const Problem& problem,
                const HostTensors& before, const HostTensors& after, double work,
                std::uint64_t seed, unsigned threads);

}  // namespace tactus
