#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace tactus {

/// The parameters of one shape as numbers. A formula reads them and computes; the caller asks
/// afterwards whether something was wrong, so formulas need no checks. Doubles, because products of
/// sizes soon exceed 64 bits.
class Dimensions {
 public:
  Dimensions(std::string_view operator_name, const Shape& shape)
      : operator_name_(operator_name), shape_(shape) {}

  /// Required. If it is 0, the shape is empty.
  double size(std::string_view name);
  /// As size(), but optional: `otherwise` if missing.
  double size_or(std::string_view name, double otherwise);
  /// Required; 0 is a normal value.
  double amount(std::string_view name);
  double amount_or(std::string_view name, double otherwise);
  /// Of attention over sequences; at least one is required.
  std::span<const SequenceRun> sequences();
  /// The result of a recorded draw of the inputs.
  std::optional<double> drawn(std::string_view name);

  NumberType dtype() const { return shape_.parameters.dtype; }
  double element_bytes() const { return bytes_of(dtype()); }

  /// No work: a size is 0.
  bool empty() const { return empty_; }
  /// What was missing or impossible, and which parameters the operator takes.
  std::optional<Error> error() const;

 private:
  std::optional<double> look_up(std::string_view name);
  void ask(std::string_view name);
  void fail(std::string problem);

  std::string_view operator_name_;
  const Shape& shape_;
  std::vector<std::string_view> asked_;  ///< names, for the message
  std::string problem_;                  ///< the first; empty: none
  bool empty_ = false;
};

}  // namespace tactus
