#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "run/run.h"

namespace tactus {

/// Value of Patterns::kInstances if the source does not say how many events a row sums up.
inline constexpr std::int64_t kUnknownInstances = -1;

/// A column of `*_perf_data.csv`: its name, what it holds, and whether a file may lack it.
struct PatternColumn {
  enum class Content : std::uint8_t { kWhole, kText, kDecimal };

  std::string_view name;
  Content content;
  bool required = false;
};

/// In the order of Patterns::ColumnIndex.
inline constexpr std::array<PatternColumn, 17> kPatternColumns = {{
    {"cycle", PatternColumn::Content::kWhole, true},
    {"pid", PatternColumn::Content::kWhole, true},
    {"hostname", PatternColumn::Content::kText},
    {"beta_pct", PatternColumn::Content::kDecimal, true},
    {"function_name", PatternColumn::Content::kText, true},
    {"metric_name", PatternColumn::Content::kText, true},
    {"device", PatternColumn::Content::kText, true},
    {"func_type", PatternColumn::Content::kText},
    {"mu_pct", PatternColumn::Content::kDecimal},
    {"sigma_pct", PatternColumn::Content::kDecimal},
    {"duration", PatternColumn::Content::kDecimal},
    {"interpolation_status", PatternColumn::Content::kText},
    {"anchor_name", PatternColumn::Content::kText},
    {"anchor_dur_us", PatternColumn::Content::kDecimal},
    {"cycle_start_ts", PatternColumn::Content::kDecimal},
    {"instances_count", PatternColumn::Content::kWhole},
    {"simple_name", PatternColumn::Content::kText},
}};
static_assert(kPatternColumns.size() == Patterns::kSimpleName + 1);

}  // namespace tactus
