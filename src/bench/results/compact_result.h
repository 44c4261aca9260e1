#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// What bench_result_text wrote, to be kept for long: without samples and how they were
/// grouped, without members that say nothing (null, no mismatch), numbers to five digits.
/// read_bench_result reads it all the same.
std::string compact_result_text(std::string_view text);

}  // namespace tactus
