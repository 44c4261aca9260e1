#include "bench/checking/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "operators/number_formats.h"

namespace tactus {
namespace {

constexpr std::size_t kSingle = 8;           // buckets of one number each go up to this one
constexpr std::int64_t kManyUlps = 1 << 10;  // a count of more says nothing to a reader

std::size_t bucket_of(std::int64_t ulps) {
  const auto count = static_cast<std::uint64_t>(ulps);
  if (count <= kSingle) return static_cast<std::size_t>(count);
  // 9 to 16 is the first after the single ones.
  return kSingle + static_cast<std::size_t>(std::bit_width(count - 1)) - 3;
}

std::int64_t largest_in(std::size_t bucket) {
  if (bucket <= kSingle) return static_cast<std::int64_t>(bucket);
  return std::int64_t{8} << (bucket - kSingle);
}

std::string ulp_words(std::int64_t ulps, NumberType type) {
  if (ulps == 0 && is_integer(type)) return "exactly";
  if (ulps == 0) return fmt::format("the nearest {}", number_type_name(type));
  if (ulps <= kManyUlps) return fmt::format("within {} ulp of {}", ulps, number_type_name(type));
  return fmt::format("within {:.2g}% of the number",
                     100 * static_cast<double>(ulps) * spacing(type, 1));
}

}  // namespace

bool within(NumberType type, double got, double value, double slack) {
  // fp8 has no infinity: only values out of range are NaN.
  const double nearest = rounded(type, value);
  const bool none = std::isnan(nearest);
  if (none || std::isnan(got)) return none && std::isnan(got);
  if (got == nearest) return true;
  if (std::isinf(value)) return false;
  const double low = rounded(type, value - slack);
  const double high = rounded(type, value + slack);
  // If only the slack is out of range, only the other end counts.
  const bool above = std::isnan(low) || got >= low;
  const bool below = std::isnan(high) || got <= high;
  return above && below;
}

double used_slack(NumberType type, double got, double value, double slack) {
  if (!(slack > 0) || !std::isfinite(got) || !std::isfinite(value)) return 0;
  if (got == rounded(type, value)) return 0;
  // Numbers up to half way to the neighbour round to `got`; below a power of two it is nearer.
  const bool neighbour_is_larger = std::fabs(value) > std::fabs(got);
  const double gap = spacing(type, neighbour_is_larger ? got : std::nextafter(std::fabs(got), 0.0));
  return std::clamp((std::fabs(got - value) - gap / 2) / slack, 0.0, 1.0);
}

std::int64_t allowed_ulps(NumberType type, double value, double slack) {
  const double nearest = rounded(type, value);
  if (is_integer(type) || !(slack > 0) || !std::isfinite(nearest)) return 0;
  const double low = rounded(type, value - slack);
  const double high = rounded(type, value + slack);
  double most = 0;
  if (std::isfinite(low)) most = std::max(most, nearest - low);
  if (std::isfinite(high)) most = std::max(most, high - nearest);
  const double ulps = std::ceil(most / spacing(type, nearest));
  return static_cast<std::int64_t>(std::min(ulps, 0x1p32));
}

std::string allowed_words(NumberType type, double value, double slack) {
  const std::int64_t ulps = allowed_ulps(type, value, slack);
  if (ulps > kManyUlps) return fmt::format("within {:.2g}", slack);
  return ulp_words(ulps, type);
}

void Tolerance::add(NumberType type, std::int64_t ulps) {
  type_ = type;
  ++count_;
  ++buckets_[std::min(bucket_of(ulps), kBuckets - 1)];
}

void Tolerance::add(const Tolerance& other) {
  if (other.count_ == 0) return;
  type_ = other.type_;
  count_ += other.count_;
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
}

std::string Tolerance::words() const {
  if (count_ == 0) return {};
  std::int64_t below = 0;
  std::optional<std::size_t> usual;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    below += buckets_[i];
    if (!usual && 10 * below >= 9 * count_) usual = i;
    if (buckets_[i] > 0) largest = i;
  }
  const std::string all = ulp_words(largest_in(largest), type_);
  if (*usual == largest) return all;
  // Near 0 a unit is tiny, and what is allowed is a matter of other numbers' sizes.
  const std::string most = ulp_words(largest_in(*usual), type_) + " (9 of 10 numbers)";
  const bool says = static_cast<double>(largest_in(largest)) * spacing(type_, 1) < 1;
  return says ? fmt::format("{}, {} (all)", most, all) : most;
}

}  // namespace tactus
