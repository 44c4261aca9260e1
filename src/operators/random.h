#pragma once

#include <cstdint>

#include "operators/problem.h"

namespace tactus {

/// Numbers that look random and depend only on the seed, for any order of calls.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();                    ///< 64 bits (splitmix64)
  double uniform();                        ///< [0, 1)
  double normal();                         ///< mean 0, standard deviation 1
  std::int64_t below(std::int64_t limit);  ///< [0, limit)

 private:
  std::uint64_t state_;
};

/// Fills a tensor as its spec says (not Draw::kOperator, which its operator draws). Large tensors
/// repeat parts of a table of drawn numbers at random places, which is as fast as copying.
void fill(const HostTensor& tensor, std::uint64_t seed, unsigned threads);

}  // namespace tactus
