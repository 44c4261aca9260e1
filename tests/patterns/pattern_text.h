#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sources/perf_data/perf_data.h"
#include "sources/text/text_input.h"

namespace tactus::testing {

/// The columns that tests of comparisons set.
inline constexpr std::string_view kPatternHeader =
    "cycle,pid,hostname,beta_pct,function_name,metric_name,device,mu_pct,anchor_dur_us\n";

/// A run of patterns from rows of those columns.
inline Run import_patterns(const std::string& rows) {
  TextInput input(std::string(kPatternHeader) + rows);
  RunBuilder builder;
  const Status imported = perf_data::import_patterns(input.bytes(), builder);
  EXPECT_TRUE(imported) << (imported ? "" : imported.error().message);
  return builder.finish();
}

}  // namespace tactus::testing
