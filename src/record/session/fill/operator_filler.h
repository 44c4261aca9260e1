#pragma once

#include <optional>
#include <string>

#include "wire/operators.h"

namespace tactus::record {

/// A product of matrices as torch.profiler writes the inputs of an operator: rows first, and as a
/// program that stores matrices row by row sees it ([tokens, k] by [k, n]).
struct OperatorInputs {
  std::string dims;   ///< [[8,4096],[4096,1024],[8,1024]]
  std::string types;  ///< ["c10::BFloat16","c10::BFloat16","c10::BFloat16"]
};
OperatorInputs operator_inputs(const wire::Scope& scope);

}  // namespace tactus::record
