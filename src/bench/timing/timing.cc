#include "bench/timing/timing.h"

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
  if (n > 1000) {  // there the normal approximation is exact to one rank
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

void SampledRounds::add_to_round(std::span<const double> samples) {
  if (rounds.empty()) rounds.push_back(0);
  samples_ns.insert(samples_ns.end(), samples.begin(), samples.end());
  rounds.back() += static_cast<std::int64_t>(samples.size());
}

void SampledRounds::begin_round() {
  if (rounds.empty() || rounds.back() > 0) rounds.push_back(0);
}

MedianInterval interval_of_rounds(const SampledRounds& sampled) {
  MedianInterval result = median_interval(sampled.samples_ns);
  std::vector<double> medians;
  std::span<const double> rest(sampled.samples_ns);
  for (const std::int64_t count : sampled.rounds) {
    const std::size_t size = std::min(static_cast<std::size_t>(count), rest.size());
    if (size > 0) medians.push_back(median_interval(rest.first(size)).median);
    rest = rest.subspan(size);
  }
  if (medians.empty()) return result;
  const MedianInterval of_rounds = median_interval(medians);
  result.low = std::min(result.low, of_rounds.low);
  result.high = std::max(result.high, of_rounds.high);
  result.known = result.known && of_rounds.known;
  return result;
}

Sieved without_slowed(const SampledRounds& sampled, const std::vector<bool>& slowed) {
  constexpr std::int64_t kFewest = 6;
  Sieved sieved;
  std::size_t at = 0;
  for (const std::int64_t count : sampled.rounds) {
    sieved.kept.begin_round();
    for (std::int64_t i = 0; i < count; ++i, ++at) {
      if (at < slowed.size() && slowed[at]) {
        ++sieved.dropped;
      } else {
        sieved.kept.add_to_round(std::span(&sampled.samples_ns[at], 1));
      }
    }
  }
  if (static_cast<std::int64_t>(sieved.kept.samples_ns.size()) < kFewest) {
    return {.kept = sampled, .dropped = 0};
  }
  if (sieved.kept.rounds.back() == 0) sieved.kept.rounds.pop_back();
  return sieved;
}

std::int64_t StopRule::round_samples() const {
  return std::max<std::int64_t>(1, at_most / kUsualRounds);
}

bool enough(const StopRule& rule, const SampledRounds& sampled, double seconds_spent) {
  const auto count = static_cast<std::int64_t>(sampled.samples_ns.size());
  const auto rounds = static_cast<std::int64_t>(sampled.rounds.size());
  if (count >= rule.at_most) return true;
  if (count < rule.at_least || rounds < rule.rounds) {
    return seconds_spent > rule.seconds * 4 && count >= 3;
  }
  if (seconds_spent > rule.seconds) return true;
  const MedianInterval interval = interval_of_rounds(sampled);
  return interval.known && interval.high - interval.low <= rule.tight * interval.median;
}

double clock_noise(std::span<const double> samples) {
  if (samples.empty()) return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t tail = sorted.size() / 20;
  return (sorted[sorted.size() - 1 - tail] - sorted[tail]) / 2;
}

std::string_view outcome_name(Outcome outcome) {
  constexpr std::array<std::string_view, 4> kNames = {"FASTER", "SLOWER", "SAME", "AMBIGUOUS"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Outcome compare_times(const MedianInterval& a, const MedianInterval& b, double noise,
                      double margin) {
  if (a.median <= 0 || b.median <= 0) return Outcome::kAmbiguous;
  const bool beyond_noise = std::abs(a.median - b.median) > noise;
  // The range of a few samples is not an interval: such ranges can be apart by chance.
  const double apart = 1 + (a.known && b.known ? margin : kWide * margin);
  if (beyond_noise && b.high * apart < a.low) return Outcome::kFaster;
  if (beyond_noise && a.high * apart < b.low) return Outcome::kSlower;
  const double ratio = b.median / a.median;
  const bool close = !beyond_noise || (ratio <= 1 + margin && ratio >= 1 / (1 + margin));
  const auto says_little = [margin, noise](const MedianInterval& interval) {
    return std::max(interval.high - interval.low, noise) > kWide * margin * interval.median;
  };
  return close && !says_little(a) && !says_little(b) ? Outcome::kSame : Outcome::kAmbiguous;
}

}  // namespace tactus
