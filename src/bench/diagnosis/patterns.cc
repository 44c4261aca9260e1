#include "bench/diagnosis/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace tactus {
namespace {

/// "row", "head", "column": what a coordinate of an output counts.
std::string dimension_name(const Problem& problem, const TensorSpec& spec, std::size_t dimension) {
  if (spec.shape.size() == 1) return "number";
  if (dimension + 1 == spec.shape.size()) return "column";
  if (spec.shape.size() == 2) return "row";
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"tokens", "token"}, {"heads", "head"}, {"kv_heads", "kv head"}, {"batch", "sequence"}};
  for (const auto& [parameter, name] : kNames) {
    const auto size = problem.shape.find(parameter);
    if (size && *size == spec.shape[dimension]) return std::string(name);
  }
  return dimension == 0 ? "row" : fmt::format("index {}", dimension);
}

std::string ordinal(std::int64_t number) {
  const std::int64_t last = number % 10;
  const bool teen = number % 100 / 10 == 1;
  const char* end = teen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
  return fmt::format("{}{}", number, end);
}

/// "every 16th row, from row 3 on" if the chosen coordinates are all that are a step apart.
std::string periodic(const std::vector<std::int64_t>& compared,
                     const std::vector<std::int64_t>& chosen, const std::string& name) {
  if (chosen.size() < 3) return {};
  std::int64_t step = 0;
  for (const std::int64_t at : chosen) step = std::gcd(step, at - chosen[0]);
  if (step < 2) return {};
  const auto members = std::count_if(compared.begin(), compared.end(), [&](std::int64_t at) {
    return at % step == chosen[0] % step;
  });
  if (static_cast<std::size_t>(members) != chosen.size()) return {};
  return fmt::format("every {} {}, from {} {} on", ordinal(step), name, name, chosen[0] % step);
}

std::string range_words(const std::string& name, std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("{} {}", name, first)
                       : fmt::format("{}s {} to {}", name, first, last);
}

/// Which of the compared coordinates have wrong numbers; nothing if all have.
std::string which(const std::vector<std::int64_t>& compared, const std::vector<std::int64_t>& wrong,
                  const std::string& name) {
  if (wrong.empty() || wrong.size() == compared.size()) return {};
  const auto begin = std::find(compared.begin(), compared.end(), wrong.front());
  const bool together =
      std::equal(wrong.begin(), wrong.end(), begin,
                 begin + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(wrong.size()),
                                                  compared.end() - begin));
  if (together) {
    const std::string words = range_words(name, wrong.front(), wrong.back());
    if (wrong.front() == compared.front()) return fmt::format("{} (the first)", words);
    if (wrong.back() == compared.back()) return fmt::format("{} (the last)", words);
    return words;
  }
  if (std::string words = periodic(compared, wrong, name); !words.empty()) return words;
  std::vector<std::int64_t> right;
  std::set_difference(compared.begin(), compared.end(), wrong.begin(), wrong.end(),
                      std::back_inserter(right));
  if (const std::string words = periodic(compared, right, name); !words.empty()) {
    return fmt::format("all but {}", words);
  }
  if (right.size() == 1) return fmt::format("all but {} {}", name, right[0]);
  return {};
}

std::string where(const Problem& problem, const TensorSpec& spec, std::size_t dimension,
                  const CountsOfOutput::Dimension& counts) {
  std::vector<std::int64_t> compared;
  std::vector<std::int64_t> wrong;
  bool all_there = true;
  for (std::size_t i = 0; i < counts.compared.size(); ++i) {
    if (counts.compared[i] == 0) continue;
    compared.push_back(static_cast<std::int64_t>(i));
    if (counts.wrong[i] == 0) continue;
    wrong.push_back(static_cast<std::int64_t>(i));
    all_there = all_there && counts.wrong[i] == counts.compared[i];
  }
  const std::string name = dimension_name(problem, spec, dimension);
  const std::string found = which(compared, wrong, name);
  if (!found.empty()) {
    return fmt::format("only in {}{}", found, all_there ? ", every number there" : "");
  }
  if (10 * wrong.size() > 9 * compared.size()) return {};  // by chance some are right
  return fmt::format("in {} of {} {}s", wrong.size(), compared.size(), name);
}

std::string values_words(const WrongCall& call, const WrongNumbers& wrong, std::uint32_t output) {
  const auto all = [&](const auto& test) {
    bool any = false;
    for (const WrongNumber& number : wrong.numbers) {
      if (number.output != output) continue;
      if (!test(number)) return false;
      any = true;
    }
    return any;
  };
  const HostTensor& tensor = call.after.outputs[output];
  if (all([&](const WrongNumber& n) { return is_unwritten(tensor, n.index); })) {
    return "the wrong numbers were not written";
  }
  if (all([](const WrongNumber& n) { return std::isnan(n.got); })) {
    return "the wrong numbers are NaN";
  }
  if (all([](const WrongNumber& n) { return std::isinf(n.got); })) {
    return "the wrong numbers are infinite";
  }
  if (all([](const WrongNumber& n) { return n.got == 0; })) return "the wrong numbers are 0";
  if (all([](const WrongNumber& n) { return std::fabs(n.got) > std::fabs(n.value); })) {
    return "the wrong numbers are too large";
  }
  if (all([](const WrongNumber& n) { return std::fabs(n.got) < std::fabs(n.value); })) {
    return "the wrong numbers are too small";
  }
  return {};
}

}  // namespace

std::vector<std::string> wrong_patterns(const WrongCall& call, const WrongNumbers& wrong) {
  std::vector<std::string> patterns;
  for (std::size_t o = 0; o < wrong.outputs.size(); ++o) {
    const CountsOfOutput& counts = wrong.outputs[o];
    if (counts.wrong == 0) continue;
    const TensorSpec& spec = call.problem.outputs[o];
    const double share = static_cast<double>(counts.wrong) / static_cast<double>(counts.compared);
    std::vector<std::string> parts = {
        counts.wrong == counts.compared
            ? fmt::format("{}: all compared numbers are wrong", spec.name)
            : fmt::format("{}: {:.1f}% of the compared numbers are wrong", spec.name, 100 * share)};
    for (std::size_t d = 0; d < counts.dimensions.size(); ++d) {
      std::string words = where(call.problem, spec, d, counts.dimensions[d]);
      if (!words.empty()) parts.push_back(std::move(words));
    }
    if (std::string words = values_words(call, wrong, static_cast<std::uint32_t>(o));
        !words.empty()) {
      parts.push_back(std::move(words));
    }
    patterns.insert(patterns.end(), parts.begin(), parts.end());
  }
  return patterns;
}

bool are_unwritten(const WrongCall& call, const WrongNumbers& wrong) {
  return !wrong.numbers.empty() &&
         std::all_of(wrong.numbers.begin(), wrong.numbers.end(), [&](const WrongNumber& number) {
           return is_unwritten(call.after.outputs[number.output], number.index);
         });
}

}  // namespace tactus
