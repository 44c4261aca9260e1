#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace tactus {

/// How far blocks of a series differ from their neighbours, by the length of the blocks: 1, 2, 4
/// and so on values (Haar differences, from which Allan variances come).
struct BlockSpreads {
  static constexpr std::size_t kMost = 20;

  std::size_t n = 0;                    ///< values of the series
  std::array<double, kMost> squares{};  ///< sum of (later - earlier)^2 / 2 over pairs of blocks
  double factor = 1;                    ///< on the variance of the mean, for weighted means

  /// Pairs of blocks of 2^scale values.
  std::size_t pairs(std::size_t scale) const { return n >> (scale + 1); }
};
BlockSpreads block_spreads(std::span<const double> values);

/// The standard error of a difference, and its degrees of freedom for Student's t.
struct DifferenceError {
  double error = 0;
  double freedom = 1;
};

/// The error of the difference of the means of two series whose middles lie `distance` times their
/// length apart; nothing unless the two series show moods.
///
/// Steps of a shared machine have moods: levels that last for seconds or minutes. Their blocks
/// differ about as much at every length (1/f noise), so the mean of more steps is not more certain,
/// and recordings that lie apart differ more than blocks of one recording. Noise is taken as a sum
///
///   variance of neighbouring blocks of m values = s^2 ((1 - f) A(r, m) + f)
///
/// of neighbours that are alike (r; A falls with 1 / m) and of moods (f). Which r and f it is, the
/// spreads of both series say together: each pair of a grid counts as much as it makes them likely
/// (s is integrated out), with even odds before that there are no moods at all. Moods grow with the
/// logarithm of the distance, as 1/f noise does. Moods that are longer than a series do not show in
/// it: an interval of two recordings is about these recordings, and several of each side tell more.
std::optional<DifferenceError> error_with_moods(const BlockSpreads& a, const BlockSpreads& b,
                                                double distance);

/// E (mean of one block - mean of another)^2 over that of neighbouring blocks, for 1/f noise.
double mood_growth(double distance);

}  // namespace tactus
