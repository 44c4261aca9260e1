#pragma once

#include <algorithm>

#include "operators/definition.h"
#include "operators/definitions/rows.h"
#include "operators/uncertain.h"

namespace tactus {

// What generic operators share that give their output number by number: a unit is a piece of it.

inline constexpr std::int64_t kPiece = 256;
inline constexpr std::int64_t kStretch = 64;  ///< of numbers that are larger or smaller than others

inline std::int64_t piece_count(const Problem& problem) {
  return (problem.outputs[0].elements() + kPiece - 1) / kPiece;
}

inline double piece_work(const Problem&) {
  return 20.0 * kPiece;
}

/// make(i) for each number of the piece.
template <class Make>
void expect_piece(const Problem& problem, std::int64_t unit, Expected& into, const Make& make) {
  ExpectedRun run;
  run.first = unit * kPiece;
  const std::int64_t end = std::min(run.first + kPiece, problem.outputs[0].elements());
  for (std::int64_t i = run.first; i < end; ++i) {
    const Uncertain number = make(i);
    run.values.push_back(number.value);
    run.slack.push_back(number.slack);
  }
  into.push_back(std::move(run));
}

/// Numbers of very different size, so that no part of a function may be missing: some are beyond
/// what exp() can take.
inline void draw_uneven(const HostTensor& tensor, Random& random) {
  scale_some_rows({&tensor}, kStretch, 32, 4, random);
  scale_some_rows({&tensor}, kStretch, 0x1p-5, 4, random);
}

}  // namespace tactus
