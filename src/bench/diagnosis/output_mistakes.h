#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bench/diagnosis/wrong_numbers.h"
#include "bench/results/failure.h"

namespace tactus {

/// Some units with wrong numbers, and what they must be.
struct WrongUnits {
  std::vector<std::int64_t> units;
  std::vector<Expected> expected;
};

// Mistakes that show in the outputs alone. Each explains all numbers of the units, or is not named.

/// Cut off instead of rounded; rounded to fewer bits than the output has.
std::optional<LikelyMistake> wrong_rounding(const WrongCall& call, const WrongUnits& wrong);

/// The results of the neighbour in some dimension.
std::optional<LikelyMistake> results_of_neighbours(const WrongCall& call, const WrongUnits& wrong);

/// A matrix that was stored by columns.
std::optional<LikelyMistake> stored_by_columns(const WrongCall& call,
                                               std::span<const WrongNumber> numbers);

/// Neighbours as pairs of a rotation, instead of numbers half a head apart.
std::optional<LikelyMistake> neighbours_as_pairs(const WrongCall& call, const WrongUnits& wrong);

/// exp() of scores that are too large for it: NaN there, and only there.
std::optional<LikelyMistake> overflowing_exp(const WrongCall& call,
                                             std::span<const WrongNumber> numbers);

/// All numbers are too large, or too small, by one factor, or by one per unit.
std::optional<LikelyMistake> wrong_factor(const WrongCall& call, const WrongUnits& wrong);

}  // namespace tactus
