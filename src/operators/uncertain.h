#pragma once

#include "catalogue/number_type.h"

namespace tactus {

/// An intermediate number: correct arithmetic has it within `slack`.
struct Uncertain {
  double value = 0;
  double slack = 0;
};

/// The result of one fp32 operation on exact operands: certain if fp32 can hold it.
Uncertain in_fp32(double exact);

/// Rounded to a type as the operator defines: certain again, unless a number within the slack
/// rounds to another value.
Uncertain stored(NumberType type, const Uncertain& number);

/// x * sigmoid(x) in fp32.
Uncertain silu(const Uncertain& x);

}  // namespace tactus
