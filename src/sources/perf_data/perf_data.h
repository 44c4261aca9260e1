#pragma once

#include <string_view>

#include "base/result.h"
#include "run/builder.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::perf_data {

/// True for the header of a `*_perf_data.csv`: it names cycle, pid, beta_pct and function_name.
bool is_patterns(std::string_view head);
/// True for the header of a `*_counters_data.csv`: it names counter_name, timestamp and value.
bool is_counters(std::string_view head);

/// Adds a `*_perf_data.csv` to the run's `patterns`.
Status import_patterns(InputBytes& bytes, RunBuilder& builder);
/// Adds a `*_counters_data.csv`, whose times are us since the epoch, to the run's `counters`.
Status import_counters(InputBytes& bytes, RunBuilder& builder);

}  // namespace tactus::perf_data
