#pragma once

#include <cmath>
#include <span>

#include "stats/tests.h"

namespace tactus {

/// A deviation of the normal run up to this counts as 0.
inline constexpr double kNoDeviation = 1e-9;

/// The difference in deviations of the normal run; 0 if the normal run has no deviation.
inline double z_score(double normal_mean, double normal_stddev, double abnormal_mean) {
  return normal_stddev > kNoDeviation ? (abnormal_mean - normal_mean) / normal_stddev : 0;
}

inline double suspicion_score(double beta_change, double beta_z, double log_mu_z) {
  return std::abs(beta_change) * (std::abs(beta_z) + std::abs(log_mu_z));
}

/// Mean and deviation of log(1 + mu): levels are compared by their ratio.
Moments log_moments(std::span<const double> mu);

}  // namespace tactus
