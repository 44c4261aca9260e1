#include "stats/tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/distributions.h"

namespace tactus {

Moments moments(std::span<const double> values) {
  Moments result;
  result.n = static_cast<std::int64_t>(values.size());
  if (values.empty()) return result;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) {
    // Rounding must not make a constant series look variable.
    result.mean = *low;
    return result;
  }
  const auto n = static_cast<double>(values.size());
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double rest = 0;
  double squares = 0;
  for (const double value : values) {
    const double from_mean = value - result.mean;
    rest += from_mean;
    squares += from_mean * from_mean;
  }
  result.mean += rest / n;
  result.stddev = std::sqrt(std::max(0.0, squares - rest * rest / n) / (n - 1));
  return result;
}

double welch_p(const Moments& a, const Moments& b) {
  if (a.n <= 1 || b.n <= 1) return 1;
  const auto variance_of_mean = [](const Moments& m) {
    return m.stddev * m.stddev / static_cast<double>(m.n);
  };
  const double of_a = variance_of_mean(a);
  const double of_b = variance_of_mean(b);
  if (of_a + of_b == 0) return a.mean == b.mean ? std::nan("") : 0.0;
  const double freedom =
      (of_a + of_b) * (of_a + of_b) /
      (of_a * of_a / static_cast<double>(a.n - 1) + of_b * of_b / static_cast<double>(b.n - 1));
  return student_t_two_sided((a.mean - b.mean) / std::sqrt(of_a + of_b), freedom);
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (!std::isnan(p_values[i])) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> rates(p_values.size(), std::nan(""));
  const auto tests = static_cast<double>(order.size());
  double least = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t at = order[rank - 1];
    least = std::min(least, p_values[at] * tests / static_cast<double>(rank));
    rates[at] = least;
  }
  return rates;
}

}  // namespace tactus
