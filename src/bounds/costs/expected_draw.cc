#include "bounds/costs/expected_draw.h"

#include <cmath>

namespace tactus {

double expected_experts_distinct(double experts, double tokens, double top_k) {
  if (top_k >= experts) return experts;
  return experts * (1 - std::pow(1 - top_k / experts, tokens));
}

double expected_experts_repeated(double experts, double slots) {
  return experts * (1 - std::pow(1 - 1 / experts, slots));
}

double expected_pairs_repeated(double experts, double tokens, double top_k) {
  return tokens * experts * (1 - std::pow(1 - 1 / experts, top_k));
}

double expected_blocks(double experts, double slots, double block_size) {
  if (experts <= 1) return std::ceil(slots / block_size);
  const double p = 1 / experts;
  const double mean = slots * p;
  const double deviation = std::sqrt(mean * (1 - p));
  if (deviation > 1000) return experts * (mean + (block_size - 1) / 2) / block_size;
  // The mean of ceil(n / block_size) over the binomial distribution of n: from its middle outwards
  // by the ratio of neighbours, until the rest is negligible.
  constexpr double kNegligible = 1e-18;
  const double middle = std::floor(mean);
  const double odds = p / (1 - p);
  double total = 1;
  double blocks = std::ceil(middle / block_size);
  double weight = 1;
  for (double n = middle + 1; n <= slots && weight > kNegligible; ++n) {
    weight *= (slots - n + 1) / n * odds;
    total += weight;
    blocks += weight * std::ceil(n / block_size);
  }
  weight = 1;
  for (double n = middle - 1; n >= 0 && weight > kNegligible; --n) {
    weight *= (n + 1) / (slots - n) / odds;
    total += weight;
    blocks += weight * std::ceil(n / block_size);
  }
  return experts * blocks / total;
}

}  // namespace tactus
