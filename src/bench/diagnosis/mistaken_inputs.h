#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operators/definition.h"

namespace tactus {

/// Inputs and parameters as a mistaken kernel takes them. Tensors are copied when they are changed.
class MistakenInputs {
 public:
  MistakenInputs(const Problem& problem, const HostTensors& before);

  /// A copy of the input to change; null if it is too large for that.
  const HostTensor* changed(std::size_t input);

  Problem problem;
  HostTensors tensors;

 private:
  std::vector<std::unique_ptr<std::byte[]>> copies_;
};

/// A mistake that amounts to other inputs or parameters: what a kernel with it gives is what the
/// definition gives for them.
struct InputMistake {
  std::string name;  ///< "wrong_epsilon"
  std::string text;  ///< "as if eps were 1e-05"
  /// False if it cannot be made.
  std::function<bool(MistakenInputs&)> make;
  /// The same, for a mistake that amounts to other inputs for each unit; null if `make` does.
  std::function<bool(MistakenInputs&, std::int64_t unit)> make_for;
  /// Whether the mistake says what a number is, by its column; null: it says all.
  std::function<bool(std::uint32_t output, std::int64_t index)> says;
  /// It may divide by 0 in fp32, where the definition in double does not: then a number that is not
  /// finite agrees with it.
  bool may_break = false;
  std::int64_t bytes = 0;  ///< that are copied to try it
};

/// The mistakes to try with a problem, the most likely first.
std::vector<InputMistake> input_mistakes(const Problem& problem);

// Changes of one tensor.

/// Row i becomes what row i + by was; rows are those of the given dimension.
void turn_rows(const HostTensor& tensor, std::size_t dimension, std::int64_t by);
/// Swaps the halves of each group of `group` numbers (of rows, of a dimension before the last).
void swap_halves(const HostTensor& tensor, std::size_t dimension, std::int64_t group);
/// Reads the memory of a matrix as if it were stored by columns.
void transpose_in_place(const HostTensor& tensor);

}  // namespace tactus
