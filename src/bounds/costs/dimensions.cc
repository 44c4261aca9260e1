#include "bounds/costs/dimensions.h"

#include <fmt/format.h>

#include <algorithm>

namespace tactus {

double Dimensions::size(std::string_view name) {
  const double value = amount(name);
  if (value == 0) empty_ = true;
  return value;
}

double Dimensions::size_or(std::string_view name, double otherwise) {
  const double value = amount_or(name, otherwise);
  if (value == 0) empty_ = true;
  return value;
}

double Dimensions::amount(std::string_view name) {
  const std::optional<double> value = look_up(name);
  if (!value) fail(fmt::format("parameter \"{}\" is missing", name));
  return value.value_or(0);
}

double Dimensions::amount_or(std::string_view name, double otherwise) {
  return look_up(name).value_or(otherwise);
}

std::span<const SequenceRun> Dimensions::sequences() {
  ask("sequences");
  const std::vector<SequenceRun>& runs = shape_.parameters.sequences;
  if (runs.empty()) fail("the lengths of its sequences are missing");
  double tokens = 0;
  for (const SequenceRun& run : runs) {
    if (run.length < 0 || run.count < 0) {
      fail(fmt::format("{} sequences of {} tokens are not possible", run.count, run.length));
    }
    tokens += static_cast<double>(run.length) * static_cast<double>(run.count);
  }
  if (tokens == 0) empty_ = true;
  return runs;
}

std::optional<double> Dimensions::drawn(std::string_view name) {
  for (const auto& [key, value] : shape_.draw) {
    if (key != name) continue;
    if (value < 0) fail(fmt::format("draw \"{}\" is negative ({})", name, value));
    return static_cast<double>(value);
  }
  return std::nullopt;
}

std::optional<Error> Dimensions::error() const {
  if (problem_.empty()) return std::nullopt;
  const std::string where = shape_.id.empty() ? std::string() : "/" + shape_.id;
  return input_error(fmt::format("{}{}: {}; it takes {}", operator_name_, where, problem_,
                                 fmt::join(asked_, ", ")));
}

std::optional<double> Dimensions::look_up(std::string_view name) {
  ask(name);
  const auto& values = shape_.parameters.values;
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.first == name; });
  if (found == values.end()) return std::nullopt;
  if (found->second < 0) {
    fail(fmt::format("parameter \"{}\" is negative ({})", name, found->second));
  }
  return static_cast<double>(found->second);
}

void Dimensions::ask(std::string_view name) {
  if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) asked_.push_back(name);
}

void Dimensions::fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
}

}  // namespace tactus
