#include "stats/normal.h"

#include <cmath>
#include <numbers>

namespace tactus {

double normal_upper_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double normal_quantile(double share) {
  double low = -40;
  double high = 40;
  for (int step = 0; step < 80; ++step) {
    const double middle = (low + high) / 2;
    (normal_upper_tail(-middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace tactus
