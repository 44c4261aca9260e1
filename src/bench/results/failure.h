#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

/// A number of an output that is wrong.
struct FailedNumber {
  std::string output;
  std::vector<std::int64_t> indices;
  double got = 0;
  double expected = 0;
  std::string allowed;  ///< in words: "within 1 ulp of bf16"
};

/// Some numbers of an input that a wrong number depends on.
struct InputExcerpt {
  std::string name;
  std::vector<std::int64_t> indices;  ///< of the first
  std::vector<double> values;
};

/// A mistake that gives the wrong numbers.
struct LikelyMistake {
  std::string name;  ///< "wrong_epsilon"
  std::string text;  ///< "as if eps were 1e-05"
};

/// What can be said about a wrong result.
struct Failure {
  std::int64_t checked = 0;          ///< numbers compared in the call that was wrong
  std::int64_t wrong = 0;            ///< of these
  std::vector<FailedNumber> first;   ///< at most 8
  std::vector<InputExcerpt> inputs;  ///< around the first
  std::vector<std::string> pattern;  ///< where the wrong numbers are, and what they are
  std::vector<LikelyMistake> mistakes;
};

}  // namespace tactus
