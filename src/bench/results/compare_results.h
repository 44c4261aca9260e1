#pragma once

#include <vector>

#include "bench/bench.h"
#include "bench/timing/timing.h"

namespace tactus {

/// A shape that both results have a time of.
struct BenchPair {
  const BenchRow* before = nullptr;
  const BenchRow* after = nullptr;
  double noise_ns = 0;  ///< times closer together are the same to the clocks
  Outcome outcome = Outcome::kAmbiguous;
};

/// The rows of both results that can be compared, in the order of the second. Both must outlive
/// the answer.
std::vector<BenchPair> compare_results(const BenchResult& before, const BenchResult& after);

}  // namespace tactus
