#include "bounds/roofline/printed.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace tactus {

double printed(double value, int decimals) {
  // fmt rounds the exact value, ties to even; a tie is exact in binary, so it can be detected.
  const double scale = std::pow(10.0, decimals);
  const double scaled = value * scale;
  const bool is_exact = std::fma(value, scale, -scaled) == 0;
  if (is_exact && scaled - std::floor(scaled) == 0.5) {
    return (std::floor(scaled) + 1) / scale;
  }
  return std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr);
}

}  // namespace tactus
