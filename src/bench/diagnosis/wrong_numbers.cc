#include "bench/diagnosis/wrong_numbers.h"

#include <algorithm>
#include <limits>

namespace tactus {
namespace {

constexpr double kWork = 1e8;  // multiplications: a fraction of a second
constexpr std::size_t kMostUnits = 8192;
constexpr std::size_t kWrongUnits = 64;  // of each end
constexpr std::size_t kMostNumbers = 4096;

void take_ends(const std::vector<std::int64_t>& from, std::size_t count,
               std::vector<std::int64_t>& into) {
  const std::size_t half = std::min(from.size(), (count + 1) / 2);
  into.insert(into.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(half));
  into.insert(into.end(), from.end() - static_cast<std::ptrdiff_t>(half), from.end());
}

std::vector<std::int64_t> units_to_look_at(const WrongCall& call) {
  const double work = std::max(call.definition.unit_work(call.problem), 1.0);
  const auto affordable = static_cast<std::size_t>(std::min(kWork / work, 1e9)) + 1;
  std::vector<std::int64_t> units;
  take_ends(call.judgement.units, std::min(affordable, kMostUnits), units);
  take_ends(call.judgement.wrong_units, std::min(affordable, kWrongUnits), units);
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return units;
}

void count(const TensorSpec& spec, std::int64_t index, bool wrong, CountsOfOutput& into) {
  ++into.compared;
  if (wrong) ++into.wrong;
  for (std::size_t d = spec.shape.size(); d-- > 0;) {
    const auto coordinate = static_cast<std::size_t>(index % spec.shape[d]);
    index /= spec.shape[d];
    ++into.dimensions[d].compared[coordinate];
    if (wrong) ++into.dimensions[d].wrong[coordinate];
  }
}

WrongNumbers nothing_found(const Problem& problem) {
  WrongNumbers found;
  found.outputs.resize(problem.outputs.size());
  for (std::size_t o = 0; o < found.outputs.size(); ++o) {
    for (const std::int64_t size : problem.outputs[o].shape) {
      const auto coordinates = static_cast<std::size_t>(size);
      found.outputs[o].dimensions.push_back(
          {std::vector<std::int32_t>(coordinates), std::vector<std::int32_t>(coordinates)});
    }
  }
  return found;
}

/// Fills in what a number must be, if its unit is where units of rows are.
void expect_number(const WrongCall& call, WrongNumber& number) {
  const TensorSpec& spec = call.problem.outputs[number.output];
  const std::int64_t units = call.definition.units(call.problem);
  const double place = static_cast<double>(number.index) / static_cast<double>(spec.elements());
  const auto unit = static_cast<std::int64_t>(place * static_cast<double>(units) + 1e-9);
  Expected expected;
  call.definition.expect(call.problem, call.before, std::min(unit, units - 1), expected);
  for (const ExpectedRun& run : expected) {
    const std::int64_t i = number.index - run.first;
    if (run.output != number.output || i < 0 || i >= static_cast<std::int64_t>(run.values.size())) {
      continue;
    }
    number.value = run.values[static_cast<std::size_t>(i)];
    number.slack = run.slack.empty() ? 0 : run.slack[static_cast<std::size_t>(i)];
  }
}

}  // namespace

WrongNumbers find_wrong_numbers(const WrongCall& call) {
  WrongNumbers found = nothing_found(call.problem);
  for (const std::int64_t unit : units_to_look_at(call)) {
    Expected expected;
    call.definition.expect(call.problem, call.before, unit, expected);
    for (const ExpectedRun& run : expected) {
      if ((call.definition.judged_by_also >> run.output & 1) != 0) continue;
      const HostTensor& output = call.after.outputs[run.output];
      for (std::size_t i = 0; i < run.values.size(); ++i) {
        const std::int64_t index = run.first + static_cast<std::int64_t>(i);
        const double got = output.get(index);
        const double slack = run.slack.empty() ? 0 : run.slack[i];
        const bool wrong = !within(output.spec->dtype, got, run.values[i], slack);
        count(*output.spec, index, wrong, found.outputs[run.output]);
        if (!wrong || found.numbers.size() >= kMostNumbers) continue;
        found.numbers.push_back({run.output, index, got, run.values[i], slack});
      }
    }
  }
  return found;
}

WrongNumbers find_unwritten_numbers(const WrongCall& call) {
  constexpr std::int64_t kLookedAt = 1 << 24;
  constexpr std::size_t kExpected = 8;
  WrongNumbers found = nothing_found(call.problem);
  for (std::size_t o = 0; o < call.after.outputs.size(); ++o) {
    const HostTensor& output = call.after.outputs[o];
    if (output.spec->draw != Draw::kNone || (call.definition.may_stay >> o & 1) != 0) continue;
    for (std::int64_t index = 0; index < std::min(output.elements(), kLookedAt); ++index) {
      const bool unwritten = is_unwritten(output, index);
      count(*output.spec, index, unwritten, found.outputs[o]);
      if (!unwritten || found.numbers.size() >= kMostNumbers) continue;
      WrongNumber number = {.output = static_cast<std::uint32_t>(o),
                            .index = index,
                            .got = output.get(index),
                            .value = std::numeric_limits<double>::quiet_NaN(),
                            .slack = 0};
      if (found.numbers.size() < kExpected) expect_number(call, number);
      found.numbers.push_back(number);
    }
  }
  return found;
}

bool is_unwritten(const HostTensor& output, std::int64_t index) {
  if (output.spec->draw != Draw::kNone) return false;
  const auto bytes = static_cast<std::int64_t>(bytes_of(output.spec->dtype));
  const auto poison = static_cast<std::byte>(poison_byte(output.spec->dtype));
  const std::byte* at = output.data + index * bytes;
  return std::all_of(at, at + bytes, [&](std::byte byte) { return byte == poison; });
}

std::vector<std::int64_t> indices_of(const TensorSpec& spec, std::int64_t index) {
  std::vector<std::int64_t> indices(spec.shape.size());
  for (std::size_t i = spec.shape.size(); i-- > 0;) {
    indices[i] = index % spec.shape[i];
    index /= spec.shape[i];
  }
  return indices;
}

}  // namespace tactus
