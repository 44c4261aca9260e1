#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distributions.h"
#include "stats/tests.h"

namespace tactus {
namespace {

constexpr std::size_t kLargestExact = 8;  // if both sides are larger, scipy approximates

/// The sum of a's ranks among all values, and how much ties reduce the variance of U.
struct Ranks {
  double sum_of_a = 0;
  double ties = 0;  ///< sum of t^3 - t over groups of t equal values
};

Ranks rank(std::span<const double> a, std::span<const double> b) {
  struct Ranked {
    double value;
    bool of_a;
  };
  std::vector<Ranked> all;
  all.reserve(a.size() + b.size());
  for (const double value : a) all.push_back({value, true});
  for (const double value : b) all.push_back({value, false});
  std::sort(all.begin(), all.end(),
            [](const Ranked& x, const Ranked& y) { return x.value < y.value; });
  Ranks ranks;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    std::size_t of_a = 0;
    for (; end < all.size() && all[end].value == all[first].value; ++end) of_a += all[end].of_a;
    const double mean_rank = static_cast<double>(first + 1 + end) / 2;
    const auto equal = static_cast<double>(end - first);
    ranks.sum_of_a += mean_rank * static_cast<double>(of_a);
    ranks.ties += equal * equal * equal - equal;
    first = end;
  }
  return ranks;
}

/// P(U <= limit) if both samples come from one distribution without ties. How often each U occurs
/// is the coefficient of q^U in the product over i of (1 - q^(more + i)) / (1 - q^i), i = 1..few.
double chance_of_at_most(std::size_t limit, std::size_t few, std::size_t more) {
  std::vector<double> counts(limit + 1, 0.0);
  counts[0] = 1;
  double arrangements = 1;
  for (std::size_t i = 1; i <= few; ++i) {
    for (std::size_t u = i; u <= limit; ++u) counts[u] += counts[u - i];
    for (std::size_t u = limit; u >= more + i; --u) counts[u] -= counts[u - more - i];
    arrangements *= static_cast<double>(more + i) / static_cast<double>(i);
  }
  double at_most = 0;
  for (const double count : counts) at_most += count;
  return at_most / arrangements;
}

}  // namespace

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return 1;
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::any_of(a.begin(), a.end(), is_nan) || std::any_of(b.begin(), b.end(), is_nan)) {
    return std::nan("");
  }
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const Ranks ranks = rank(a, b);
  const double u_of_a = ranks.sum_of_a - n_a * (n_a + 1) / 2;
  const double u = std::max(u_of_a, n_a * n_b - u_of_a);

  const std::size_t few = std::min(a.size(), b.size());
  const std::size_t more = std::max(a.size(), b.size());
  if (ranks.ties == 0 && few <= kLargestExact) {
    // The upper tail is the lower one mirrored.
    const auto mirrored = static_cast<std::size_t>(n_a * n_b - u);
    return std::min(1.0, 2 * chance_of_at_most(mirrored, few, more));
  }
  const double n = n_a + n_b;
  const double variance = n_a * n_b / 12 * ((n + 1) - ranks.ties / (n * (n - 1)));
  if (variance <= 0) return 1;
  const double z = (u - n_a * n_b / 2 - 0.5) / std::sqrt(variance);
  return std::min(1.0, 2 * normal_upper_tail(z));
}

}  // namespace tactus
