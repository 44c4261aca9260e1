#include "stats/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tactus {

namespace {

/// gamma(a + 1/2) / gamma(a). The series is that of Tricomi and Erdelyi; a quotient of two gammas
/// would overflow and a difference of their logarithms lose digits.
double half_step_gamma_ratio(double a) {
  if (a < 30) return std::tgamma(a + 0.5) / std::tgamma(a);
  const double r = 1 / a;
  const double series =
      1 + r * (-1.0 / 8 +
               r * (1.0 / 128 +
                    r * (5.0 / 1024 + r * (-21.0 / 32768 + r * (-399.0 / 262144 +
                                                                r * (869.0 / 4194304 +
                                                                     r * (39325.0 / 33554432)))))));
  return std::sqrt(a) * series;
}

/// The continued fraction of the incomplete beta function, by Lentz's method. It converges fast for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 20'000;
  constexpr double kSmallest = 1e-300;
  constexpr double kClose = 1e-16;
  const auto away_from_zero = [](double value) {
    return std::abs(value) < kSmallest ? kSmallest : value;
  };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < kClose) break;
  }
  return value;
}

}  // namespace

double normal_upper_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double normal_quantile(double share) {
  double low = -40;
  double high = 40;
  for (int step = 0; step < 80; ++step) {
    const double middle = (low + high) / 2;
    (normal_upper_tail(-middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

double student_t_two_sided(double t, double freedom) {
  if (std::isnan(t) || std::isnan(freedom) || freedom <= 0) return std::nan("");
  if (std::isinf(t)) return 0;
  // The two tails are the incomplete beta function I_x(freedom / 2, 1 / 2) at this x.
  const double square = t * t;
  const double x = freedom / (freedom + square);
  const double rest = square / (freedom + square);
  const double a = freedom / 2;
  const double power = std::exp(-a * std::log1p(square / freedom));  // x to the a
  const double front =
      power * std::sqrt(rest) * half_step_gamma_ratio(a) / std::sqrt(std::numbers::pi);
  // Away from the tails the other side is exact to the last digits; there the fraction for the
  // tails loses digits, because x is close to 1.
  const bool in_the_middle = x >= (a + 1) / (a + 2.5) || (rest < 0.1 && square < 9);
  const double p = in_the_middle ? 1 - front * beta_fraction(0.5, a, rest) / 0.5
                                 : front * beta_fraction(a, 0.5, x) / a;
  return std::clamp(p, 0.0, 1.0);
}

}  // namespace tactus
