#pragma once

#include <cmath>

#include "run/args/value.h"

namespace tactus {

/// False for a Decimal that is unknown, and for one that no double can hold (1e999).
inline bool is_usable_number(std::int64_t raw, const StringPool& strings) {
  return Decimal::scale(raw) <= Decimal::kLargestScale ||
         std::isfinite(Decimal::to_double(raw, strings));
}

}  // namespace tactus
