#include "stats/moods.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

namespace tactus {
namespace {

constexpr std::array kAlike = {0.0, 0.25, 0.5, 0.7, 0.85, 0.94};
/// Share of moods; none at all counts as much as all others together.
constexpr std::array kMoods = {0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 1.0};
constexpr std::size_t kModels = kAlike.size() * kMoods.size();

/// Moods count if the series make them this many times as likely as none ("positive evidence" of
/// Kass and Raftery): what short series do not show is no reason for a wide interval.
constexpr double kEvidence = 3;

/// The variance of the mean of m values with variance 1 whose neighbours are alike.
double variance_of_mean(double alike, double m) {
  const double rest = 1 - alike;
  return ((1 + alike) / rest - 2 * alike * (1 - std::pow(alike, m)) / (m * rest * rest)) / m;
}

/// What each model predicts for blocks of 2^scale values.
struct Predictions {
  std::array<std::array<double, BlockSpreads::kMost>, kModels> inverse{};  ///< 1 / variance
  std::array<std::array<double, BlockSpreads::kMost>, kModels> log{};
  std::array<double, kModels> prior{};  ///< ln of it

  Predictions() {
    for (std::size_t i = 0; i < kModels; ++i) {
      const double alike = kAlike[i / kMoods.size()];
      const double moods = kMoods[i % kMoods.size()];
      prior[i] = moods == 0 ? std::log(static_cast<double>(kMoods.size() - 1)) : 0;
      for (std::size_t scale = 0; scale < BlockSpreads::kMost; ++scale) {
        const double m = std::ldexp(1.0, static_cast<int>(scale));
        // Neighbours a and b: var(a) - cov(a, b), and both together are a block of 2 m.
        const double falls = 2 * (variance_of_mean(alike, m) - variance_of_mean(alike, 2 * m));
        const double variance = (1 - moods) * falls + moods;
        inverse[i][scale] = 1 / variance;
        log[i][scale] = std::log(variance);
      }
    }
  }
};

/// How likely a model makes the spreads of a series, and the variance of the mean then.
struct Fit {
  double log_likelihood = 0;
  double variance = 0;
};
using Fits = std::array<Fit, kModels>;

Fit fit(const BlockSpreads& spreads, const Predictions& predictions, std::size_t model,
        double growth) {
  double pairs = 0;
  double squares = 0;
  double log_variance = 0;
  for (std::size_t scale = 0; scale < BlockSpreads::kMost && spreads.pairs(scale) > 0; ++scale) {
    const auto count = static_cast<double>(spreads.pairs(scale));
    pairs += count;
    squares += spreads.squares[scale] * predictions.inverse[model][scale];
    log_variance += count * predictions.log[model][scale];
  }
  if (!(squares > 0)) return {};
  const double moods = kMoods[model % kMoods.size()];
  const double falls =
      variance_of_mean(kAlike[model / kMoods.size()], static_cast<double>(spreads.n));
  return {.log_likelihood = -0.5 * (log_variance + pairs * std::log(squares)),
          .variance = spreads.factor * squares / pairs * ((1 - moods) * falls + moods * growth)};
}

Fits fits_of(const BlockSpreads& spreads, const Predictions& predictions, double growth) {
  Fits fits{};
  for (std::size_t i = 0; i < kModels; ++i) fits[i] = fit(spreads, predictions, i, growth);
  return fits;
}

/// How much each model counts, all together 1.
using Shares = std::array<double, kModels>;

Shares shares_of(const Predictions& predictions, std::initializer_list<const Fits*> of) {
  Shares shares = predictions.prior;
  for (const Fits* fits : of) {
    for (std::size_t i = 0; i < kModels; ++i) shares[i] += (*fits)[i].log_likelihood;
  }
  const double best = *std::max_element(shares.begin(), shares.end());
  double total = 0;
  for (double& share : shares) total += share = std::exp(share - best);
  for (double& share : shares) share /= total;
  return shares;
}

double freedom_of(const BlockSpreads& spreads) {
  return std::max(1.0, static_cast<double>(spreads.n) - 1);
}

}  // namespace

BlockSpreads block_spreads(std::span<const double> values) {
  BlockSpreads spreads{.n = values.size()};
  std::vector<double> sums = {0};
  sums.reserve(values.size() + 1);
  for (const double value : values) sums.push_back(sums.back() + value);
  for (std::size_t scale = 0; scale < BlockSpreads::kMost && spreads.pairs(scale) > 0; ++scale) {
    const std::size_t m = std::size_t{1} << scale;
    // What does not fill a pair is left out at both ends.
    std::size_t at = (values.size() - spreads.pairs(scale) * 2 * m) / 2;
    for (std::size_t pair = 0; pair < spreads.pairs(scale); ++pair, at += 2 * m) {
      const double change =
          (sums[at + 2 * m] - 2 * sums[at + m] + sums[at]) / static_cast<double>(m);
      spreads.squares[scale] += change * change / 2;
    }
  }
  return spreads;
}

double mood_growth(double distance) {
  const double r = std::max(1.0, distance);
  const auto term = [](double x) { return x > 0 ? x * x * std::log(x) : 0; };
  return (term(r + 1) + term(r - 1) - 2 * term(r)) / (4 * std::log(2.0));
}

std::optional<DifferenceError> error_with_moods(const BlockSpreads& a, const BlockSpreads& b,
                                                double distance) {
  static const Predictions predictions;
  const double growth = mood_growth(distance);
  const Fits first = fits_of(a, predictions, growth);
  const Fits second = fits_of(b, predictions, growth);
  const Shares shares = shares_of(predictions, {&first, &second});
  double calm = 0;
  for (std::size_t i = 0; i < kModels; ++i) {
    if (kMoods[i % kMoods.size()] == 0) calm += shares[i];
  }
  if (1 - calm < kEvidence * calm) return std::nullopt;
  DifferenceError found{.error = 0, .freedom = std::min(freedom_of(a), freedom_of(b))};
  for (std::size_t i = 0; i < kModels; ++i) {
    found.error += shares[i] * std::sqrt(first[i].variance + second[i].variance);
  }
  return found;
}

}  // namespace tactus
