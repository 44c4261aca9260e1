#pragma once

#include <cstdint>
#include <vector>

#include "bench/checking/judge.h"

namespace tactus {

/// Everything that a wrong call is explained from.
struct WrongCall {
  const OperatorDefinition& definition;
  const Problem& problem;
  const HostTensors& before;
  const HostTensors& after;
  const CheckedOutputs& judgement;
};

struct WrongNumber {
  std::uint32_t output = 0;
  std::int64_t index = 0;
  double got = 0;
  double value = 0;
  double slack = 0;
};

/// How many numbers of an output were compared, and how many are wrong, by coordinate.
struct CountsOfOutput {
  struct Dimension {
    std::vector<std::int32_t> compared;  ///< by coordinate
    std::vector<std::int32_t> wrong;
  };
  std::vector<Dimension> dimensions;
  std::int64_t compared = 0;
  std::int64_t wrong = 0;
};

struct WrongNumbers {
  std::vector<WrongNumber> numbers;  ///< the first ones, ascending by unit
  std::vector<CountsOfOutput> outputs;
};

/// Compares the units of a wrong call again, and remembers where the wrong numbers are. If they are
/// too many, those at both ends.
WrongNumbers find_wrong_numbers(const WrongCall& call);

/// All numbers of outputs, as far as they can be looked at in a moment, that still have the bytes
/// from before the call.
WrongNumbers find_unwritten_numbers(const WrongCall& call);

/// True if a number has the bytes that outputs are filled with before a call.
bool is_unwritten(const HostTensor& output, std::int64_t index);

/// The coordinates of a number in its tensor.
std::vector<std::int64_t> indices_of(const TensorSpec& spec, std::int64_t index);

}  // namespace tactus
