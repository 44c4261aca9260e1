#include <cmath>
#include <vector>

#include "classic/classic_moments.h"

namespace tactus {

Moments log_moments(std::span<const double> mu) {
  std::vector<double> logs;
  logs.reserve(mu.size());
  for (const double value : mu) {
    if (value > -1) logs.push_back(std::log1p(value));
  }
  return moments(logs);
}

}  // namespace tactus
