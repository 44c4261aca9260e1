#pragma once

#include <cmath>

namespace tactus {

/// A deviation of the normal run up to this counts as none.
inline constexpr double kNoDeviation = 1e-9;

/// By how many deviations of the normal run the abnormal one is off; 0 if that has no deviation.
inline double z_score(double normal_mean, double normal_stddev, double abnormal_mean) {
  return normal_stddev > kNoDeviation ? (abnormal_mean - normal_mean) / normal_stddev : 0;
}

inline double suspicion_score(double beta_change, double beta_z, double log_mu_z) {
  return std::abs(beta_change) * (std::abs(beta_z) + std::abs(log_mu_z));
}

}  // namespace tactus
