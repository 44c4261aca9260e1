#pragma once

#include "catalogue/number_type.h"

namespace tactus {

/// A number on the way to an output: correct arithmetic has it within `slack`.
struct Uncertain {
  double value = 0;
  double slack = 0;
};

/// The result of one operation on exact operands in fp32: certain where fp32 can hold it.
Uncertain in_fp32(double exact);

/// Rounded to a type where the operator says so: certain again, unless the slack reaches a number
/// whose rounding is another.
Uncertain stored(NumberType type, const Uncertain& number);

/// x * sigmoid(x) in fp32.
Uncertain silu(const Uncertain& x);

}  // namespace tactus
