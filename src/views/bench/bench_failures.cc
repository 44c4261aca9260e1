#include <fmt/format.h>

#include <cmath>

#include "views/bench/bench_cells.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

constexpr std::size_t kExplainedRows = 5;
constexpr std::size_t kShownFailures = 3;

/// The sign of NaN does not matter.
std::string number_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value);
}

std::string failure_text(const BenchRow& row) {
  const Failure& failure = *row.failure;
  std::string text =
      fmt::format("{} {} is wrong:\n", printable(row.operator_name), printable(row.shape_id));
  for (std::size_t i = 0; i < failure.first.size() && i < kShownFailures; ++i) {
    const FailedNumber& number = failure.first[i];
    text += fmt::format("  {}[{}] is {}, should be {} ({})\n", printable(number.output),
                        fmt::join(number.indices, ", "), number_text(number.got),
                        number_text(number.expected), number.allowed);
  }
  if (!failure.pattern.empty()) {
    text += printable(fmt::format("  {}", fmt::join(failure.pattern, "; "))) + "\n";
  }
  for (const LikelyMistake& mistake : failure.mistakes) {
    text += fmt::format("  likely: {} ({})\n", printable(mistake.text), printable(mistake.name));
  }
  return text;
}

}  // namespace

std::string bench_failures_text(const BenchResult& result) {
  std::string text;
  std::size_t shown = 0;
  std::size_t left = 0;
  for (const BenchRow& row : result.rows) {
    if (!row.failure || row.status != BenchStatus::kWrong) continue;
    if (shown == kExplainedRows) {
      ++left;
      continue;
    }
    ++shown;
    text += failure_text(row);
  }
  if (left > 0) text += fmt::format("{} more rows are wrong; --json has all.\n", left);
  return text.empty() ? text : text + "\n";
}

}  // namespace tactus
