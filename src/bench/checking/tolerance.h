#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "catalogue/number_type.h"

namespace tactus {

/// True if `got` is the rounding, to the type, of some number within `slack` of `value`. NaN is
/// right only if the value is NaN or does not fit a type without infinity. Infinity is right only
/// if the value is infinite or rounds to it.
bool within(NumberType type, double got, double value, double slack);

/// The share of the slack that a number within it has used: 0 if it is the nearest of its type, 1
/// if it is the rounding of a number at the end of the slack.
double used_slack(NumberType type, double got, double value, double slack);

/// How far, in units in the last place (ulp), a right number may be from the nearest one.
std::int64_t allowed_ulps(NumberType type, double value, double slack);

/// What is allowed around a value, in words: "exactly", "the nearest bf16", "within 1 ulp of bf16",
/// "within 0.01" if that is many units.
std::string allowed_words(NumberType type, double value, double slack);

/// What was allowed for many numbers.
class Tolerance {
 public:
  void add(NumberType type, std::int64_t ulps);
  void add(const Tolerance& other);
  /// "the nearest bf16 (9 of 10 numbers), within 1 ulp of bf16 (all)"; empty if there were none.
  std::string words() const;

 private:
  static constexpr std::size_t kBuckets = 40;  ///< 0 to 8 ulp each, then by powers of two
  NumberType type_ = NumberType::kFp32;
  std::int64_t count_ = 0;
  std::array<std::int64_t, kBuckets> buckets_ = {};
};

}  // namespace tactus
