#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tactus {

/// The middle of samples, and where the true median lies with at least 95%: order statistics, which
/// ask nothing of the distribution.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;  ///< the same as low where there are too few samples to say: see `known`
  bool known = false;
};

/// Samples need not be sorted. Below 6 samples no interval reaches 95%.
MedianInterval median_interval(std::span<const double> samples);

/// When to stop taking samples.
struct StopRule {
  std::int64_t at_least = 10;
  std::int64_t at_most = 1000;
  double tight = 0.01;   ///< (high - low) / median that is good enough
  double seconds = 0.5;  ///< of everything, flushes included
};
bool enough(const StopRule& rule, std::span<const double> samples, double seconds_spent);

/// What two measurements of the same thing say about each other.
enum class Outcome : std::uint8_t { kFaster, kSlower, kSame, kAmbiguous };
std::string_view outcome_name(Outcome outcome);

/// `b` against `a`. FASTER and SLOWER need intervals apart by more than `margin`. SAME needs
/// medians within `margin` of each other, and intervals no wider than ten margins. All else is
/// AMBIGUOUS.
Outcome compare_times(const MedianInterval& a, const MedianInterval& b, double margin = 0.03);

}  // namespace tactus
