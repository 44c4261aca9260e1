#include "stats/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/arithmetic.h"
#include "base/check.h"

namespace tactus {
namespace {

/// A quantile is a place between two values of the sorted list.
struct Place {
  std::size_t below = 0;
  double rest = 0;  ///< how far from that one to the next, 0 to 1

  Place(double share, std::size_t count) {
    const double place = share * static_cast<double>(count - 1);
    below = static_cast<std::size_t>(place);
    rest = place - static_cast<double>(below);
  }
  double between(std::int64_t low, std::int64_t high) const {
    return static_cast<double>(low) + (static_cast<double>(high) - static_cast<double>(low)) * rest;
  }
};

/// Moves the element of a place in the sorted list there; smaller ones come before it.
std::int64_t value_at(std::span<std::int64_t> values, std::size_t place) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Puts values into buckets of equal width; a quantile then looks only at its own bucket. So long
/// lists are read twice, for any number of quantiles.
class Buckets {
 public:
  Buckets(std::span<const std::int64_t> values, std::int64_t least, std::int64_t most)
      : values_(values), least_(least), before_(kBuckets + 1, 0) {
    const auto range = static_cast<std::uint64_t>(wrapping_subtract(most, least));
    while (range >> shift_ >= kBuckets) ++shift_;
    for (const std::int64_t value : values_) ++before_[bucket_of(value) + 1];
    for (std::size_t i = 1; i < before_.size(); ++i) before_[i] += before_[i - 1];
  }

  /// The values at some places of the sorted list.
  std::vector<std::int64_t> at(std::span<const std::size_t> places) const {
    std::vector<std::uint8_t> list_of(kBuckets, 0);  // from 1; 0 if no place is in the bucket
    std::vector<std::vector<std::int64_t>> lists(1);
    for (const std::size_t place : places) {
      std::uint8_t& list = list_of[bucket_at(place)];
      if (list != 0) continue;
      list = static_cast<std::uint8_t>(lists.size());
      lists.emplace_back().reserve(before_[bucket_at(place) + 1] - before_[bucket_at(place)]);
    }
    for (const std::int64_t value : values_) {
      const std::uint8_t list = list_of[bucket_of(value)];
      if (list != 0) lists[list].push_back(value);
    }
    std::vector<std::int64_t> found;
    for (const std::size_t place : places) {
      const std::size_t bucket = bucket_at(place);
      found.push_back(value_at(lists[list_of[bucket]], place - before_[bucket]));
    }
    return found;
  }

 private:
  static constexpr std::size_t kBuckets = 4096;

  std::size_t bucket_of(std::int64_t value) const {
    return static_cast<std::uint64_t>(wrapping_subtract(value, least_)) >> shift_;
  }
  std::size_t bucket_at(std::size_t place) const {
    const auto behind = std::upper_bound(before_.begin(), before_.end(), place);
    return static_cast<std::size_t>(behind - before_.begin()) - 1;
  }

  std::span<const std::int64_t> values_;
  std::int64_t least_;
  int shift_ = 0;
  std::vector<std::size_t> before_;  ///< by bucket: values in those before it
};

/// Of the summary, ascending: median, 90% and 99%.
constexpr std::array kShares = {0.5, 0.9, 0.99};

std::array<double, kShares.size()> quantiles(std::span<std::int64_t> values, std::int64_t least,
                                             std::int64_t most) {
  constexpr std::size_t kLongList = 4096;
  std::array<std::size_t, 2 * kShares.size()> places;  // ascending
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    places[2 * i] = Place(kShares[i], values.size()).below;
    places[2 * i + 1] = std::min(places[2 * i] + 1, values.size() - 1);
  }
  std::vector<std::int64_t> at;
  if (values.size() > kLongList) {
    at = Buckets(values, least, most).at(places);
  } else {
    std::size_t done = 0;  // elements before this are in their place
    for (const std::size_t place : places) {
      at.push_back(value_at(values.subspan(done), place - done));
      done = place;
    }
  }
  std::array<double, kShares.size()> found;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    found[i] = Place(kShares[i], values.size()).between(at[2 * i], at[2 * i + 1]);
  }
  return found;
}

}  // namespace

double quantile(std::span<std::int64_t> values, double share) {
  CHECK(!values.empty());
  const Place place(share, values.size());
  const std::int64_t low = value_at(values, place.below);
  if (place.rest == 0) return static_cast<double>(low);
  const auto above = values.begin() + static_cast<std::ptrdiff_t>(place.below) + 1;
  return place.between(low, *std::min_element(above, values.end()));
}

DurationSummary summarise(std::span<std::int64_t> durations_ns) {
  DurationSummary summary;
  if (durations_ns.empty()) return summary;
  summary.count = static_cast<std::int64_t>(durations_ns.size());
  summary.min_ns = summary.max_ns = durations_ns.front();
  for (const std::int64_t dur : durations_ns) {
    summary.min_ns = std::min(summary.min_ns, dur);
    summary.max_ns = std::max(summary.max_ns, dur);
    summary.total_ns = wrapping_add(summary.total_ns, dur);
  }
  summary.avg_ns = summary.total_ns / summary.count;

  const auto count = static_cast<double>(summary.count);
  const double mean = static_cast<double>(summary.total_ns) / count;
  double squares = 0;
  for (const std::int64_t dur : durations_ns) {
    const double from_mean = static_cast<double>(dur) - mean;
    squares += from_mean * from_mean;
  }
  if (summary.count > 1) {
    summary.stddev_ns = static_cast<std::int64_t>(std::sqrt(squares / (count - 1)));
  }
  const auto [median, p90, p99] = quantiles(durations_ns, summary.min_ns, summary.max_ns);
  summary.med_ns = static_cast<std::int64_t>(median);
  summary.p90_ns = static_cast<std::int64_t>(p90);
  summary.p99_ns = static_cast<std::int64_t>(p99);
  return summary;
}

double median(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

std::optional<double> weighted_median(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  double all = 0;
  for (const auto& [value, weight] : values) all += weight;
  double below = 0;
  for (const auto& [value, weight] : values) {
    below += weight;
    if (below >= all / 2) return value;
  }
  return std::nullopt;
}

}  // namespace tactus
