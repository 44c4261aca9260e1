#pragma once

#include <cstdint>
#include <string>

#include "operators/definition.h"

namespace tactus {

/// What came of comparing outputs with what they must be.
struct Judgement {
  bool right = true;
  std::int64_t checked = 0;  ///< numbers compared
  std::int64_t wrong = 0;    ///< of these
  double max_rel_err = 0;    ///< largest |difference| / max(|value|, spacing of the type at 1)
  std::string first;         ///< the first that is wrong, in words

  void add(const Judgement& other);
};

/// True if `got` is the rounding, to the type, of some number within `slack` of `value`. NaN is
/// right only where the value is NaN or does not fit a type without infinity; infinity where the
/// value is or rounds to it.
bool within(NumberType type, double got, double value, double slack);

/// Compares one unit of what a candidate wrote.
Judgement judge_unit(const OperatorDefinition& definition, const Problem& problem,
                     const HostTensors& before, const HostTensors& after, std::int64_t unit);

/// Compares units: all of them, or a random choice (first and last always among them) such that
/// about `work` multiplications are done.
Judgement judge(const OperatorDefinition& definition, const Problem& problem,
                const HostTensors& before, const HostTensors& after, double work,
                std::uint64_t seed, unsigned threads);

}  // namespace tactus
