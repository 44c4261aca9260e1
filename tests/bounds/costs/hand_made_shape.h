#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bounds/costs/cost.h"

namespace tactus::testing {

using Values = std::vector<std::pair<std::string, std::int64_t>>;

inline Shape shape_of(Values values, NumberType dtype = NumberType::kBf16) {
  Shape shape;
  shape.parameters.values = std::move(values);
  shape.parameters.dtype = dtype;
  return shape;
}

inline double flops_on(const Cost& cost, Engine engine) {
  double sum = 0;
  for (const Work& work : cost.work) sum += work.engine == engine ? work.flops : 0;
  return sum;
}

}  // namespace tactus::testing
