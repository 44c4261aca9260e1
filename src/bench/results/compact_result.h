#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// The text of bench_result_text in a small form to keep: without samples and rounds, without empty
/// members (null, no mismatch), with five digits per number. read_bench_result reads it too.
std::string compact_result_text(std::string_view text);

}  // namespace tactus
