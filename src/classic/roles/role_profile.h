#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "classic/roles/role_patterns.h"

namespace tactus {

/// The data of a role that the suspicion score needs, made once so that a thousand roles can be
/// compared in pairs.
struct RoleProfile {
  struct Entry {
    std::uint32_t key = 0;  ///< a function, metric and device; the same one in every profile
    double beta_mean = 0;   ///< [%]
    double beta_stddev = 0;
    double log_mu_mean = 0;
    double log_mu_stddev = 0;
  };
  std::vector<Entry> entries;  ///< by key
};

std::vector<RoleProfile> make_profiles(std::span<const RolePatterns> roles, unsigned threads);

/// The highest suspicion score of all rows of the two roles' report.
double highest_suspicion(const RoleProfile& normal, const RoleProfile& abnormal);

}  // namespace tactus
