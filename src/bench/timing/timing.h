#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tactus {

/// The middle of samples, and where the true median lies with at least 95%: order statistics, which
/// ask nothing of the distribution.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  bool known = false;  ///< false: too few to say, low and high are all that was seen
};

/// Samples need not be sorted. Below 6 samples no interval reaches 95%.
MedianInterval median_interval(std::span<const double> samples);

/// Times in the order in which they were taken. Between rounds the tensors were laid elsewhere and
/// time went by, so that what stays the same within a round shows as a difference between them.
struct SampledRounds {
  std::vector<double> samples_ns;
  std::vector<std::int64_t> rounds;  ///< how many samples each has

  void add_to_round(std::span<const double> samples);
  void begin_round();  ///< nothing if the last one is empty
};

/// The median of all samples. Its interval is the wider, on each side, of that of all samples and
/// that of the medians of the rounds: samples of a round are not independent of each other, rounds
/// are. Known only from 6 rounds.
MedianInterval interval_of_rounds(const SampledRounds& sampled);

/// Leaves out samples that were taken while clocks were lowered. All are kept where fewer than 6
/// others are left, which is too few for an interval.
struct Sieved {
  SampledRounds kept;
  std::int64_t dropped = 0;
};
Sieved without_slowed(const SampledRounds& sampled, const std::vector<bool>& slowed);

/// When to stop taking samples.
struct StopRule {
  std::int64_t at_least = 10;
  std::int64_t at_most = 1000;
  std::int64_t rounds = 6;  ///< at least; the fewest that give an interval
  double tight = 0.01;      ///< (high - low) / median that is good enough
  double seconds = 0.5;     ///< of everything, flushes included

  /// A round ends after that much of either.
  double round_seconds() const { return seconds / kUsualRounds; }
  std::int64_t round_samples() const;

  static constexpr int kUsualRounds = 12;  ///< where the budget is used up
};
bool enough(const StopRule& rule, const SampledRounds& sampled, double seconds_spent);

/// How far a clock is off: half of where the middle 90% of times of the same thing lie.
double clock_noise(std::span<const double> samples);

/// What two measurements of the same thing say about each other.
enum class Outcome : std::uint8_t { kFaster, kSlower, kSame, kAmbiguous };
std::string_view outcome_name(Outcome outcome);

/// `b` against `a`. FASTER and SLOWER need intervals apart by more than `margin`, ten margins where
/// one is not known, and medians apart by more than `noise`, which is what the clocks of both may
/// be off [of the medians' unit]. SAME needs medians within margin or noise of each other, and
/// intervals and noise no wider than ten margins. All else is AMBIGUOUS.
Outcome compare_times(const MedianInterval& a, const MedianInterval& b, double noise = 0,
                      double margin = 0.03);

}  // namespace tactus
