#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "operators/problem.h"
#include "operators/random.h"

namespace tactus {

// Code that the definitions of products, attention and the delta rules share.

/// Elements `first`.. of a tensor as doubles.
void read_row(const HostTensor& tensor, std::int64_t first, std::span<double> into);
std::vector<double> row_of(const HostTensor& tensor, std::int64_t first, std::int64_t count);

/// A sum of products and the sizes of its terms.
struct ProductSum {
  double value = 0;
  double magnitude = 0;  ///< of the absolute values of the terms
  double squares = 0;    ///< of the squares of the terms
};

ProductSum dot(std::span<const double> a, std::span<const double> b);

/// fp8 products with one scale per block: a row of `a` with its scales times a row of `b`.
struct ScaledRow {
  std::span<const double> numbers;
  std::span<const double> scales;  ///< one per `block` numbers
};

struct ScaledSum {
  double value = 0;
  double magnitude = 0;
  double variance = 0;  ///< of the possible error of the short accumulators of fp8 tensor cores
};

ScaledSum scaled_dot(const ScaledRow& a, const ScaledRow& b, std::int64_t block);

/// Many small errors of random sign: one sum in 5e8 has an error of more than this many deviations.
inline constexpr double kDeviations = 6;

/// Standard deviation of rounding numbers of a 16-bit type, relative to them, for random mantissas:
/// half a spacing over sqrt(3), averaged over an octave.
double rounding_deviation(NumberType type);

/// Head of q and k (or of the cache) for a head of the larger set.
std::int64_t shared_head(std::int64_t head, std::int64_t heads, std::int64_t shared_heads);

std::int64_t ceil_div(std::int64_t a, std::int64_t b);

/// fp16 if the shape says so, else bf16.
NumberType half_type(const ShapeParameters& shape);

/// Rows of positive numbers that add up to 1 (router weights).
void draw_softmax_rows(const HostTensor& tensor, std::int64_t width, Random& random);

/// `count` different numbers below `limit` in random order (repeating only if there are too few).
std::vector<std::int64_t> draw_distinct(std::int64_t count, std::int64_t limit, Random& random);

/// Reports it if all numbers in a part of an fp32 output are bf16 numbers: they were rounded.
std::string only_bf16_numbers(const HostTensor& tensor, std::int64_t first, std::int64_t count);

}  // namespace tactus
