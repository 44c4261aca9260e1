#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "bounds/mining/mine.h"

namespace tactus {
namespace {

Error unknown_operator(std::string_view name, const Mined& mined) {
  std::vector<std::string_view> names;
  for (const MinedOperator& op : mined.operators) names.push_back(op.name);
  const std::string_view near = nearest(name, names);
  return usage_error(near.empty() ? fmt::format("--what-if: no operator \"{}\" in these runs; "
                                                "there are {}",
                                                name, fmt::join(names, ", "))
                                  : fmt::format("--what-if: no operator \"{}\" in these runs; did "
                                                "you mean {}?",
                                                name, near));
}

}  // namespace

Result<WhatIf> read_what_if(std::string_view text, const Mined& mined) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return usage_error(fmt::format("--what-if {}: give OPERATOR=S, such as gemm=0.9", text));
  }
  WhatIf question;
  question.operator_name = text.substr(0, equals);
  std::string_view number = text.substr(equals + 1);
  const bool is_percent = number.ends_with('%');
  if (is_percent) number.remove_suffix(1);
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, question.s);
  if (is_percent) question.s /= 100;
  if (error != std::errc() || stop != end || !(question.s > 0) || question.s > 1) {
    return usage_error(fmt::format(
        "--what-if {}: S is a share of the bound, above 0 and at most 1 (or 100%)", text));
  }
  const bool is_known =
      std::any_of(mined.operators.begin(), mined.operators.end(),
                  [&](const MinedOperator& op) { return op.name == question.operator_name; });
  if (!is_known) return unknown_operator(question.operator_name, mined);
  return question;
}

WhatIfAnswer answer(const WhatIf& question, const Mined& mined) {
  WhatIfAnswer result;
  result.question = question;
  for (const MinedOperator& op : mined.operators) {
    if (op.name == question.operator_name) result.now = op.s;
  }
  for (const MinedRun& run : mined.runs) {
    const double weight =
        1.0 / (static_cast<double>(run.total_ns) * static_cast<double>(mined.runs.size()));
    for (const TraceShape& shape : run.shapes) {
      if (shape.operator_name != question.operator_name) continue;
      result.share += static_cast<double>(shape.total_ns) * weight;
      // A bound that counts a part of the work only does not say what could be saved.
      if (shape.at_least) continue;
      // Shapes that are already nearer to their bound do not change.
      result.saved += static_cast<double>(saved_ns(shape, question.s, run.floor_ns)) * weight;
    }
  }
  return result;
}

}  // namespace tactus
