#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"

namespace tactus {

/// Which model a cost follows.
enum class CostModel : std::uint8_t {
  kStrict,     ///< the work that any kernel must do; a true lower bound
  kCatalogue,  ///< as published with the catalogue, all work charged to one precision
};

/// Arithmetic on one kind of unit.
struct Work {
  Engine engine = Engine::kTensor;
  NumberType type = NumberType::kBf16;
  double flops = 0;
  /// Significant bits that one of the operands must keep for a right result, if `type` has too few
  /// of them: it is then multiplied in parts, or in a wider type. 0: the type has enough.
  double operand_bits = 0;
};

/// The work of an operator for one shape. Doubles count exactly up to 2^53 and lose only relative
/// precision beyond, so huge shapes do not overflow.
struct Cost {
  std::vector<Work> work;  ///< empty: no counted arithmetic
  double read_bytes = 0;
  double write_bytes = 0;
  double link_bytes = 0;  ///< sent to other devices

  double flops() const;  ///< of all kinds
  double bytes() const { return read_bytes + write_bytes; }
};

/// The cost of an operator of the catalogue or a generic one (gemm, elementwise, add, copy, cat,
/// reduce, softmax, gather). An unknown operator or a missing parameter is an error; the message
/// says what is known.
Result<Cost> cost_of(std::string_view operator_name, const Shape& shape, CostModel model);

/// One operator's cost: the parameters it takes, and its W and Q in words.
struct CostFormula {
  std::string_view operator_name;
  std::string_view work;    ///< W of the catalogue model: "2 m n k + m n (3 k / gk - 1)"
  std::string_view read;    ///< Q_read
  std::string_view write;   ///< Q_write
  std::string_view strict;  ///< the difference in the strict model; empty: none
};
std::span<const CostFormula> cost_formulas();

}  // namespace tactus
