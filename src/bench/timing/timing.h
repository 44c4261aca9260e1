#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tactus {

/// The median of samples, and an interval that holds the true median with at least 95%: order
/// statistics, which assume nothing about the distribution.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  bool known = false;  ///< false: too few samples; low and high are their range
};

/// Samples need not be sorted. Below 6 samples no interval reaches 95%.
MedianInterval median_interval(std::span<const double> samples);

/// Times in the order in which they were taken. Between rounds the tensors moved and time passed,
/// so effects that are constant within a round show as differences between rounds.
struct SampledRounds {
  std::vector<double> samples_ns;
  std::vector<std::int64_t> rounds;  ///< how many samples each has

  void add_to_round(std::span<const double> samples);
  void begin_round();  ///< does nothing if the last one is empty
};

/// The median of all samples. Its interval is, on each side, the wider of two: that of all samples
/// and that of the medians of the rounds. Samples of a round depend on each other, rounds do not.
/// Known only from 6 rounds on.
MedianInterval interval_of_rounds(const SampledRounds& sampled);

/// Leaves out samples that were taken while clocks were lowered. If fewer than 6 others are left,
/// which is too few for an interval, all are kept.
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
  double tight = 0.01;      ///< (high - low) / median that is tight enough
  double seconds = 0.5;     ///< time budget, flushes included

  /// A round ends when it has this many samples or seconds.
  double round_seconds() const { return seconds / kUsualRounds; }
  std::int64_t round_samples() const;

  static constexpr int kUsualRounds = 12;  ///< if the budget is used up
};
bool enough(const StopRule& rule, const SampledRounds& sampled, double seconds_spent);

/// The error of a clock: half the range of the middle 90% of times of the same thing.
double clock_noise(std::span<const double> samples);

/// The result of comparing two measurements.
enum class Outcome : std::uint8_t { kFaster, kSlower, kSame, kAmbiguous };
std::string_view outcome_name(Outcome outcome);

/// Compares `b` with `a`. FASTER and SLOWER need intervals apart by more than `margin` (ten margins
/// if one is not known), and medians apart by more than `noise`, the possible error of both clocks
/// [in the medians' unit]. SAME needs medians within margin or noise of each other, and intervals
/// and noise no wider than ten margins. Everything else is AMBIGUOUS.
Outcome compare_times(const MedianInterval& a, const MedianInterval& b, double noise = 0,
                      double margin = 0.03);

}  // namespace tactus
