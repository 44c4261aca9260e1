#include "bench/timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tactus {
namespace {

constexpr double kWide =
    10;  ///< margins; an interval beyond that does not show that two are the same

/// The largest k for which the k-th smallest and k-th largest of n samples enclose the median with
/// at least 95%: P(Binomial(n, 1/2) < k) <= 2.5%. 0 if there is none.
std::size_t enclosing_rank(std::size_t n) {
  if (n > 1000) {  // the normal approximation is good to a rank there
    return static_cast<std::size_t>(static_cast<double>(n) / 2 -
                                    0.98 * std::sqrt(static_cast<double>(n)));
  }
  double probability = std::pow(0.5, static_cast<double>(n));  // of exactly i below the median
  double below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    below += probability;
    if (below > 0.025) return i;
    probability *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return 0;
}

}  // namespace

MedianInterval median_interval(std::span<const double> samples) {
  MedianInterval result;
  if (samples.empty()) return result;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  result.median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  const std::size_t rank = enclosing_rank(n);
  result.known = rank > 0;
  result.low = result.known ? sorted[rank - 1] : sorted.front();
  result.high = result.known ? sorted[n - rank] : sorted.back();
  return result;
}

bool enough(const StopRule& rule, std::span<const double> samples, double seconds_spent) {
  const auto count = static_cast<std::int64_t>(samples.size());
  if (count >= rule.at_most) return true;
  if (count < rule.at_least) return seconds_spent > rule.seconds * 4 && count >= 3;
  if (seconds_spent > rule.seconds) return true;
  const MedianInterval interval = median_interval(samples);
  return interval.known && interval.high - interval.low <= rule.tight * interval.median;
}

std::string_view outcome_name(Outcome outcome) {
  constexpr std::array<std::string_view, 4> kNames = {"FASTER", "SLOWER", "SAME", "AMBIGUOUS"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Outcome compare_times(const MedianInterval& a, const MedianInterval& b, double margin) {
  if (a.median <= 0 || b.median <= 0) return Outcome::kAmbiguous;
  if (b.high * (1 + margin) < a.low) return Outcome::kFaster;
  if (a.high * (1 + margin) < b.low) return Outcome::kSlower;
  const double ratio = b.median / a.median;
  const bool close = ratio <= 1 + margin && ratio >= 1 / (1 + margin);
  const auto says_little = [margin](const MedianInterval& interval) {
    return interval.high - interval.low > kWide * margin * interval.median;
  };
  return close && !says_little(a) && !says_little(b) ? Outcome::kSame : Outcome::kAmbiguous;
}

}  // namespace tactus
