#include "bench/diagnosis/output_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/diagnosis/mistaken_inputs.h"
#include "operators/number_formats.h"

namespace tactus {
namespace {

double slack_at(const ExpectedRun& run, std::size_t i) {
  return run.slack.empty() ? 0 : run.slack[i];
}

/// Rounded towards 0.
double cut(NumberType type, double value) {
  const double near = rounded(type, value);
  if (!(std::fabs(near) > std::fabs(value))) return near;
  return near - std::copysign(spacing(type, std::nextafter(std::fabs(near), 0.0)), near);
}

/// True if `test(type, got, value, slack)` holds for all numbers of the units in outputs that are
/// not integers, and there is one.
template <class Test>
bool holds_for_all(const WrongCall& call, const WrongUnits& wrong, const Test& test) {
  bool any = false;
  for (const Expected& expected : wrong.expected) {
    for (const ExpectedRun& run : expected) {
      const HostTensor& output = call.after.outputs[run.output];
      if (is_integer(output.spec->dtype)) continue;
      for (std::size_t i = 0; i < run.values.size(); ++i) {
        const double got = output.get(run.first + static_cast<std::int64_t>(i));
        if (!test(output.spec->dtype, got, run.values[i], slack_at(run, i))) return false;
        any = true;
      }
    }
  }
  return any;
}

/// The run of an output that begins at a place, if a unit has it.
const ExpectedRun* run_at(const Expected& expected, std::uint32_t output, std::int64_t first,
                          std::size_t size) {
  for (const ExpectedRun& run : expected) {
    if (run.output == output && run.first == first && run.values.size() == size) return &run;
  }
  return nullptr;
}

bool has_wrong(const WrongCall& call, const ExpectedRun& run) {
  const HostTensor& output = call.after.outputs[run.output];
  for (std::size_t i = 0; i < run.values.size(); ++i) {
    const double got = output.get(run.first + static_cast<std::int64_t>(i));
    if (!within(output.spec->dtype, got, run.values[i], slack_at(run, i))) return true;
  }
  return false;
}

bool fits(const WrongCall& call, const ExpectedRun& run, const ExpectedRun& other) {
  const HostTensor& output = call.after.outputs[run.output];
  for (std::size_t i = 0; i < run.values.size(); ++i) {
    const double got = output.get(run.first + static_cast<std::int64_t>(i));
    if (!within(output.spec->dtype, got, other.values[i], slack_at(other, i))) return false;
  }
  return true;
}

/// True if all runs with wrong numbers hold what belongs `by` numbers further, as far as there is
/// such a unit.
bool are_shifted(const WrongCall& call, const WrongUnits& wrong, std::int64_t by) {
  const std::int64_t units = call.definition.units(call.problem);
  int tested = 0;
  for (std::size_t u = 0; u < wrong.units.size(); ++u) {
    for (const ExpectedRun& run : wrong.expected[u]) {
      if (is_integer(call.problem.outputs[run.output].dtype) || !has_wrong(call, run)) continue;
      const auto length = static_cast<std::int64_t>(run.values.size());
      if (by % length != 0) return false;
      const std::int64_t other = wrong.units[u] + by / length;
      if (other < 0 || other >= units) continue;
      Expected expected;
      call.definition.expect(call.problem, call.before, other, expected);
      const ExpectedRun* there = run_at(expected, run.output, run.first + by, run.values.size());
      if (there == nullptr || !fits(call, run, *there)) return false;
      ++tested;
    }
  }
  return tested > 0;
}

}  // namespace

std::optional<LikelyMistake> wrong_rounding(const WrongCall& call, const WrongUnits& wrong) {
  const auto is_cut = [](NumberType type, double got, double value, double slack) {
    const double a = cut(type, value - slack);
    const double b = cut(type, value + slack);
    return got >= std::min(a, b) && got <= std::max(a, b);
  };
  if (holds_for_all(call, wrong, is_cut)) {
    return LikelyMistake{"wrong_rounding",
                         "as if results were cut off, not rounded to the nearest"};
  }
  for (const NumberType coarse : {NumberType::kBf16, NumberType::kFp16}) {
    const auto is_coarse = [coarse](NumberType type, double got, double value, double slack) {
      return type == NumberType::kFp32 && got == rounded(coarse, got) &&
             within(coarse, got, value, slack);
    };
    if (!holds_for_all(call, wrong, is_coarse)) continue;
    return LikelyMistake{"wrong_rounding", fmt::format("as if results were rounded to {} before "
                                                       "they are stored as fp32",
                                                       number_type_name(coarse))};
  }
  return std::nullopt;
}

std::optional<LikelyMistake> results_of_neighbours(const WrongCall& call, const WrongUnits& wrong) {
  if (wrong.units.empty() || wrong.expected[0].empty()) return std::nullopt;
  const TensorSpec& spec = call.problem.outputs[wrong.expected[0][0].output];
  std::int64_t stride = spec.shape.empty() ? 1 : spec.shape.back();
  for (std::size_t d = spec.shape.size() - 1; d-- > 0;) {
    for (const std::int64_t sign : {1, -1}) {
      if (spec.shape[d] > 1 && are_shifted(call, wrong, sign * stride)) {
        const std::string what = d == 0 ? "row" : fmt::format("index {}", d);
        return LikelyMistake{"off_by_one_row",
                             fmt::format("{} i of {} holds the result of {} i {} 1", what,
                                         spec.name, what, sign > 0 ? "+" : "-")};
      }
    }
    stride *= spec.shape[d];
  }
  return std::nullopt;
}

std::optional<LikelyMistake> stored_by_columns(const WrongCall& call,
                                               std::span<const WrongNumber> numbers) {
  constexpr std::size_t kTried = 24;
  if (numbers.empty()) return std::nullopt;
  const std::uint32_t output = numbers[0].output;
  const TensorSpec& spec = call.problem.outputs[output];
  if (spec.shape.size() != 2 || spec.shape[0] < 2 || spec.shape[1] < 2) return std::nullopt;
  const std::int64_t rows = spec.shape[0];
  const std::int64_t columns = spec.shape[1];
  const std::int64_t per_unit = spec.elements() / call.definition.units(call.problem);
  if (per_unit < 1) return std::nullopt;
  std::map<std::int64_t, Expected> units;
  std::size_t tried = 0;
  const std::size_t step = std::max<std::size_t>(1, numbers.size() / kTried);
  for (std::size_t n = 0; n < numbers.size() && tried < kTried; n += step) {
    const WrongNumber& number = numbers[n];
    if (number.output != output) continue;
    const std::int64_t from = number.index % rows * columns + number.index / rows;
    const std::int64_t unit = from / per_unit;
    auto [found, is_new] = units.try_emplace(unit);
    if (is_new) call.definition.expect(call.problem, call.before, unit, found->second);
    bool explained = false;
    for (const ExpectedRun& run : found->second) {
      const std::int64_t i = from - run.first;
      if (run.output != output || i < 0 || i >= static_cast<std::int64_t>(run.values.size())) {
        continue;
      }
      const auto at = static_cast<std::size_t>(i);
      explained = within(spec.dtype, number.got, run.values[at], slack_at(run, at));
    }
    if (!explained) return std::nullopt;
    ++tried;
  }
  if (tried < 4) return std::nullopt;
  return LikelyMistake{"transposed", fmt::format("as if {} were written by columns", spec.name)};
}

std::optional<LikelyMistake> neighbours_as_pairs(const WrongCall& call, const WrongUnits& wrong) {
  const std::optional<std::int64_t> turned = call.problem.shape.find("rope_dim");
  const std::optional<std::int64_t> head = call.problem.shape.find("head_dim");
  if (!turned || !head) return std::nullopt;
  const std::int64_t half = *turned / 2;
  // Where number i of a head with pairs half a head apart is, if pairs are neighbours.
  const auto place = [&](std::int64_t i) {
    return i >= *turned ? i : i < half ? 2 * i : 2 * (i - half) + 1;
  };
  MistakenInputs inputs(call.problem, call.before);
  for (std::size_t n = 0; n < inputs.tensors.inputs.size(); ++n) {
    const HostTensor& from = call.before.inputs[n];
    if (is_integer(from.spec->dtype) || from.spec->shape.back() % *head != 0) continue;
    const HostTensor* into = inputs.changed(n);
    if (into == nullptr) return std::nullopt;
    for (std::int64_t i = 0; i < from.elements(); ++i) {
      into->set(i, from.get(i - i % *head + place(i % *head)));
    }
  }
  for (const std::int64_t unit : wrong.units) {
    Expected expected;
    call.definition.expect(inputs.problem, inputs.tensors, unit, expected);
    for (const ExpectedRun& run : expected) {
      const HostTensor& output = call.after.outputs[run.output];
      // Heads that are copied are not turned: they come back as they were.
      for (std::size_t i = 0; i < run.values.size(); ++i) {
        const std::int64_t at = run.first + static_cast<std::int64_t>(i);
        const double got = output.get(at - at % *head + place(at % *head));
        if (!within(output.spec->dtype, got, run.values[i], slack_at(run, i))) return std::nullopt;
      }
    }
  }
  return LikelyMistake{"interleaved_pairs",
                       "as if neighbours were the pairs that are turned, not numbers half of "
                       "rope_dim apart"};
}

std::optional<LikelyMistake> overflowing_exp(const WrongCall& call,
                                             std::span<const WrongNumber> numbers) {
  constexpr double kOverflow = 88.7;  // exp() of more is infinite in fp32
  const auto is_broken = [](const WrongNumber& n) { return !std::isfinite(n.got) || n.got == 0; };
  if (!std::all_of(numbers.begin(), numbers.end(), is_broken) || numbers.empty()) {
    return std::nullopt;
  }
  const HostTensor& rows = call.before.inputs[0];
  const bool gating = rows.spec->name == "gating";
  const std::optional<double> scale = [&]() -> std::optional<double> {
    for (const auto& [name, value] : call.problem.parameters) {
      if (name == "scale") return value;
    }
    return std::nullopt;
  }();
  const bool attention = scale && (rows.spec->name == "q" || rows.spec->name == "query") &&
                         call.problem.outputs.size() == 1;
  if (!gating && !attention) return std::nullopt;
  const std::int64_t width = rows.spec->shape.back();
  // A unit is a row of the first input. What its largest score can be:
  const auto largest_score = [&](std::int64_t unit) {
    double largest = -HUGE_VAL;
    double squares = 0;
    for (std::int64_t i = unit * width; i < (unit + 1) * width; ++i) {
      largest = std::max(largest, rows.get(i));
      squares += rows.get(i) * rows.get(i);
    }
    // Keys are normal: few scores are more than 5 deviations.
    return gating ? largest : 5 * *scale * std::sqrt(squares);
  };
  const std::vector<std::int64_t>& wrong = call.judgement.wrong_units;
  bool others = false;
  for (const std::int64_t unit : call.judgement.units) {
    const bool is_wrong = std::binary_search(wrong.begin(), wrong.end(), unit);
    const bool is_large = largest_score(unit) > kOverflow;
    if (is_wrong && !is_large) return std::nullopt;
    if (gating && !is_wrong && is_large) return std::nullopt;
    others = others || !is_large;
  }
  if (!others) return std::nullopt;
  return LikelyMistake{"max_not_subtracted",
                       "as if the largest score were not subtracted before exp(): it fails only in "
                       "rows with scores above 88"};
}

std::optional<LikelyMistake> wrong_factor(const WrongCall& call, const WrongUnits& wrong) {
  constexpr std::size_t kFewest = 8;
  std::vector<double> factors;
  bool clear = false;  // one of them is not 1
  for (const Expected& expected : wrong.expected) {
    for (const ExpectedRun& run : expected) {
      const HostTensor& output = call.after.outputs[run.output];
      const NumberType type = output.spec->dtype;
      if (is_integer(type) || !has_wrong(call, run)) continue;
      if (run.values.size() < kFewest) return std::nullopt;
      double products = 0;
      double squares = 0;
      for (std::size_t i = 0; i < run.values.size(); ++i) {
        products += output.get(run.first + static_cast<std::int64_t>(i)) * run.values[i];
        squares += run.values[i] * run.values[i];
      }
      const double factor = products / squares;
      // The factor itself is only known from rounded numbers.
      const double off = 2 * spacing(type, 1) / std::sqrt(static_cast<double>(run.values.size()));
      if (!std::isfinite(factor) || factor == 0) return std::nullopt;
      clear = clear || std::fabs(factor - 1) > off;
      for (std::size_t i = 0; i < run.values.size(); ++i) {
        const double got = output.get(run.first + static_cast<std::int64_t>(i));
        const double value = factor * run.values[i];
        const double slack = std::fabs(factor) * slack_at(run, i) + std::fabs(value) * off;
        if (!within(type, got, value, slack)) return std::nullopt;
      }
      factors.push_back(factor);
    }
  }
  if (!clear) return std::nullopt;
  const auto [low, high] = std::minmax_element(factors.begin(), factors.end());
  const double apart = std::fabs(*high - *low);
  if (apart > 0.01 * std::fabs(*high) || apart > 0.1 * std::fabs(*high - 1)) {
    return LikelyMistake{"wrong_row_factor",
                         fmt::format("each row is the right one times a number of its own, from "
                                     "{:.4g} to {:.4g}: a sum, mean or scale of the row is wrong",
                                     *low, *high)};
  }
  std::string meaning;
  for (const auto& [name, size] : call.problem.shape.values) {
    const auto count = static_cast<double>(size);
    const std::pair<double, const char*> kForms[] = {{count, "{}"},
                                                     {1 / count, "1/{}"},
                                                     {std::sqrt(count), "sqrt({})"},
                                                     {1 / std::sqrt(count), "1/sqrt({})"}};
    for (const auto& [value, form] : kForms) {
      if (count > 2 && std::fabs(factors[0] / value - 1) < 0.005 && meaning.empty()) {
        meaning = fmt::format(" ({})", fmt::format(fmt::runtime(form), name));
      }
    }
  }
  return LikelyMistake{
      "wrong_factor",
      fmt::format("the wrong numbers are the right ones times {:.4g}{}", factors[0], meaning)};
}

}  // namespace tactus
