#include "bounds/costs/cost_entry.h"

#include <cmath>

namespace tactus {

Work matrix_work(NumberType type, double flops, double operand_bits) {
  if (is_integer(type) && type != NumberType::kInt8) return {Engine::kTensor, type};
  const NumberType multiplied = type == NumberType::kFp32 ? NumberType::kTf32 : type;
  return {Engine::kTensor, multiplied, flops, operand_bits};
}

Work vector_work(NumberType stored, double flops) {
  if (is_integer(stored)) return {Engine::kVector, stored};
  const bool wide = stored == NumberType::kFp64;
  return {Engine::kVector, wide ? NumberType::kFp64 : NumberType::kFp32, flops, 0};
}

double ceil_div(double a, double b) {
  return b > 0 ? std::ceil(a / b) : 0;
}

}  // namespace tactus
