// Measuring a candidate of tests/bench/candidates on a shape made up for it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/measure.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TACTUS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TACTUS_SANITIZED 1
#endif
#endif
#ifndef TACTUS_SANITIZED
#define TACTUS_SANITIZED 0
#endif

namespace tactus::testing {

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

inline Candidate test_candidate(const std::string& name) {
  Candidate candidate;
  candidate.kind = Candidate::Kind::kLibrary;
  candidate.name = name + ".so";
  candidate.path = std::string(TACTUS_TEST_CANDIDATES) + "/" + candidate.name;
  return candidate;
}

/// Few samples: what is timed here does not matter.
inline MeasureOptions test_options() {
  MeasureOptions options;
  options.patience_s = 30;
  options.stop = {.at_least = 4, .at_most = 6, .rounds = 4, .tight = 0.01, .seconds = 0.05};
  options.salt = 0x7ac7;
  return options;
}

inline MeasureOptions only_checked() {
  MeasureOptions options = test_options();
  options.check_only = true;
  return options;
}

inline BenchRow measured(const Candidate& candidate, const std::string& operator_name,
                         const Sizes& sizes, const MeasureOptions& options = test_options()) {
  Operator op;
  op.name = operator_name;
  Shape shape;
  shape.id = "made-up";
  shape.parameters.values = sizes;
  return measure(op, shape, candidate, nullptr, options);
}

}  // namespace tactus::testing
