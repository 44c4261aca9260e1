#include "classic/classic_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "classic/classic_moments.h"
#include "classic/roles/role_patterns.h"

namespace tactus {
namespace {

auto identity_of(const PatternSeries& series) {
  return std::tie(series.function, series.metric, series.device);
}

/// Mean and deviation over rows; the t-test uses the number of cycles.
Moments moments_of(std::span<const double> values, std::int64_t cycles) {
  Moments result = moments(values);
  result.n = cycles;
  return result;
}

double u_test(std::span<const double> a, std::span<const double> b) {
  return a.size() > 1 && b.size() > 1 ? mann_whitney_p(a, b) : 1;
}

ClassicRow compare_series(const PatternSeries& normal, const PatternSeries& abnormal) {
  const PatternSeries& named = normal.function.empty() ? abnormal : normal;
  ClassicRow row{.function = std::string(named.function),
                 .metric = std::string(named.metric),
                 .device = std::string(named.device)};
  const Moments beta[2] = {moments_of(normal.beta_pct, normal.cycles),
                           moments_of(abnormal.beta_pct, abnormal.cycles)};
  const Moments mu[2] = {moments_of(normal.mu_pct, normal.cycles),
                         moments_of(abnormal.mu_pct, abnormal.cycles)};
  const Moments log_mu[2] = {log_moments(normal.mu_pct), log_moments(abnormal.mu_pct)};
  for (int side = 0; side < 2; ++side) {
    row.beta[side] = beta[side].mean;
    row.mu[side] = mu[side].mean;
  }
  row.beta_z = z_score(beta[0].mean, beta[0].stddev, beta[1].mean);
  row.beta_p = welch_p(beta[0], beta[1]);
  row.beta_u_p = u_test(normal.beta_pct, abnormal.beta_pct);
  row.mu_z = z_score(mu[0].mean, mu[0].stddev, mu[1].mean);
  row.log_mu_z = z_score(log_mu[0].mean, log_mu[0].stddev, log_mu[1].mean);
  row.mu_p = welch_p(mu[0], mu[1]);
  row.mu_u_p = u_test(normal.mu_pct, abnormal.mu_pct);
  row.suspicion = suspicion_score(row.beta[1] - row.beta[0], row.beta_z, row.log_mu_z);
  return row;
}

/// One row per entry of either side; both sides have the same order.
std::vector<ClassicRow> compare_all(std::span<const PatternSeries> normal,
                                    std::span<const PatternSeries> abnormal) {
  const PatternSeries absent;
  std::vector<ClassicRow> rows;
  std::size_t n = 0;
  std::size_t a = 0;
  while (n < normal.size() || a < abnormal.size()) {
    const bool normal_has =
        n < normal.size() &&
        (a == abnormal.size() || identity_of(normal[n]) <= identity_of(abnormal[a]));
    const bool abnormal_has =
        a < abnormal.size() &&
        (n == normal.size() || identity_of(abnormal[a]) <= identity_of(normal[n]));
    rows.push_back(
        compare_series(normal_has ? normal[n] : absent, abnormal_has ? abnormal[a] : absent));
    n += normal_has;
    a += abnormal_has;
  }
  return rows;
}

/// Only extreme numbers make a score not-a-number; such a row comes last.
double rank_of(const ClassicRow& row) {
  return std::isnan(row.suspicion) ? -std::numeric_limits<double>::infinity() : row.suspicion;
}

}  // namespace

ClassicReport compare_classic(const ClassicRole& normal, const ClassicRole& abnormal) {
  RolePatterns sides[2] = {read_role(*normal.run, normal.pid, normal.host),
                           read_role(*abnormal.run, abnormal.pid, abnormal.host)};
  ClassicReport report;
  report.labels[0] = normal.label;
  report.labels[1] = abnormal.label;
  for (int side = 0; side < 2; ++side) report.cycle_us[side] = std::move(sides[side].cycle_us);
  report.rows = compare_all(sides[0].series, sides[1].series);
  // They are already in the order of names, which stays for equal scores.
  std::stable_sort(
      report.rows.begin(), report.rows.end(),
      [](const ClassicRow& x, const ClassicRow& y) { return rank_of(x) > rank_of(y); });
  return report;
}

}  // namespace tactus
