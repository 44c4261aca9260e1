#include "classic/roles/role_profile.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "base/parallel.h"
#include "classic/classic_moments.h"

namespace tactus {
namespace {

/// Numbers functions, metrics and devices in the order of their first use.
class KeyNumbers {
 public:
  std::uint32_t number_of(const PatternSeries& series) {
    text_.clear();
    for (const std::string_view part : {series.function, series.metric, series.device}) {
      text_.append(part).push_back('\0');
    }
    return numbers_.try_emplace(text_, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::string text_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace

std::vector<RoleProfile> make_profiles(std::span<const RolePatterns> roles, unsigned threads) {
  std::vector<RoleProfile> profiles(roles.size());
  KeyNumbers numbers;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    for (const PatternSeries& series : roles[role].series) {
      profiles[role].entries.push_back({.key = numbers.number_of(series)});
    }
  }
  parallel_for(threads, roles.size(), [&](std::size_t role, unsigned) {
    std::vector<RoleProfile::Entry>& entries = profiles[role].entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const PatternSeries& series = roles[role].series[i];
      const Moments beta = moments(series.beta_pct);
      const Moments log_mu = log_moments(series.mu_pct);
      entries[i].beta_mean = beta.mean;
      entries[i].beta_stddev = beta.stddev;
      entries[i].log_mu_mean = log_mu.mean;
      entries[i].log_mu_stddev = log_mu.stddev;
    }
    std::sort(
        entries.begin(), entries.end(),
        [](const RoleProfile::Entry& a, const RoleProfile::Entry& b) { return a.key < b.key; });
  });
  return profiles;
}

double highest_suspicion(const RoleProfile& normal, const RoleProfile& abnormal) {
  // A row that only the abnormal role has is not suspicious: there is no deviation to compare.
  static constexpr RoleProfile::Entry kAbsent;
  double highest = 0;
  auto other = abnormal.entries.begin();
  for (const RoleProfile::Entry& entry : normal.entries) {
    while (other != abnormal.entries.end() && other->key < entry.key) ++other;
    const bool has = other != abnormal.entries.end() && other->key == entry.key;
    const RoleProfile::Entry& match = has ? *other : kAbsent;
    const double score =
        suspicion_score(match.beta_mean - entry.beta_mean,
                        z_score(entry.beta_mean, entry.beta_stddev, match.beta_mean),
                        z_score(entry.log_mu_mean, entry.log_mu_stddev, match.log_mu_mean));
    if (score > highest) highest = score;
  }
  return highest;
}

}  // namespace tactus
