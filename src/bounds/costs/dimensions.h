#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace tactus {

/// The parameters of one shape as numbers to calculate with. A formula asks for what it needs and
/// calculates on; whoever called it asks afterwards what was wrong, so that formulas stay formulas.
/// Doubles, because products of sizes leave 64 bits early.
class Dimensions {
 public:
  Dimensions(std::string_view operator_name, const Shape& shape)
      : operator_name_(operator_name), shape_(shape) {}

  /// Has to be there. The shape is empty where it is 0.
  double size(std::string_view name);
  /// As size(), but there may be none: `otherwise` then.
  double size_or(std::string_view name, double otherwise);
  /// Has to be there; 0 is a value as any other.
  double amount(std::string_view name);
  double amount_or(std::string_view name, double otherwise);
  /// Of attention over sequences; there has to be at least one.
  std::span<const SequenceRun> sequences();
  /// What a recorded draw of the inputs came to.
  std::optional<double> drawn(std::string_view name);

  NumberType dtype() const { return shape_.parameters.dtype; }
  double element_bytes() const { return bytes_of(dtype()); }

  /// Nothing to do: a size is 0.
  bool empty() const { return empty_; }
  /// What was missing or impossible, and what the operator takes.
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
