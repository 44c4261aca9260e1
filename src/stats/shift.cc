#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/distributions.h"
#include "stats/tests.h"

namespace tactus {
namespace {

std::vector<double> sorted_finite(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double value : values) {
    if (std::isfinite(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// Doubles as integers in the same order, and back.
std::int64_t to_ordinal(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double from_ordinal(std::int64_t ordinal) {
  return std::bit_cast<double>(ordinal >= 0 ? ordinal
                                            : std::numeric_limits<std::int64_t>::min() - ordinal);
}

/// The differences b - a of all pairs in order, without storing them: one walk counts how many are
/// at most some value, and halving finds that value.
class Differences {
 public:
  Differences(std::span<const double> a, std::span<const double> b)
      : a_(sorted_finite(a)), b_(sorted_finite(b)) {}

  std::uint64_t count() const { return std::uint64_t{a_.size()} * b_.size(); }
  double a_size() const { return static_cast<double>(a_.size()); }
  double b_size() const { return static_cast<double>(b_.size()); }

  /// The difference with a rank from 1 to count().
  double at(std::uint64_t rank) const {
    std::int64_t low = to_ordinal(b_.front() - a_.back());
    std::int64_t high = to_ordinal(b_.back() - a_.front());
    while (low < high) {
      const std::int64_t middle = std::midpoint(low, high);
      if (at_most(from_ordinal(middle)) >= rank) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return from_ordinal(low) + 0.0;  // never -0
  }

 private:
  std::uint64_t at_most(double limit) const {
    std::uint64_t count = 0;
    std::size_t small = 0;  // values of b that are not too far above this a; grows with a
    for (const double a : a_) {
      while (small < b_.size() && b_[small] - a <= limit) ++small;
      count += small;
    }
    return count;
  }

  std::vector<double> a_;
  std::vector<double> b_;
};

}  // namespace

Shift hodges_lehmann(std::span<const double> a, std::span<const double> b, double confidence) {
  const Differences differences(a, b);
  const std::uint64_t count = differences.count();
  if (count == 0) return {std::nan(""), std::nan(""), std::nan("")};
  const double lower = differences.at((count + 1) / 2);
  const double shift = count % 2 == 1 ? lower : std::midpoint(lower, differences.at(count / 2 + 1));

  const auto pairs = static_cast<double>(count);
  const double spread = std::sqrt(pairs * (differences.a_size() + differences.b_size() + 1) / 12);
  const double z = normal_quantile(0.5 + confidence / 2);
  const double outside = std::max(1.0, std::floor(pairs / 2 - z * spread));
  const auto rank = static_cast<std::uint64_t>(outside);
  return {shift, differences.at(rank), differences.at(count + 1 - rank)};
}

double cliffs_delta(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> low = sorted_finite(a);
  const std::vector<double> high = sorted_finite(b);
  if (low.empty() || high.empty()) return std::nan("");
  double balance = 0;
  std::size_t below = 0;
  std::size_t not_above = 0;
  for (const double value : high) {
    while (below < low.size() && low[below] < value) ++below;
    while (not_above < low.size() && low[not_above] <= value) ++not_above;
    balance += static_cast<double>(below) - static_cast<double>(low.size() - not_above);
  }
  return balance / (static_cast<double>(low.size()) * static_cast<double>(high.size()));
}

}  // namespace tactus
