#pragma once

#include <cstdint>
#include <string>

#include "base/text.h"

namespace tactus {

/// "1.266 s", "84.724 μs", "0 ns": three decimals in the unit that fits, as profilers print it.
std::string format_duration(std::int64_t ns);

/// The same of a time that has parts of a ns: "1.71 ns" where they count.
std::string format_duration_of(double ns);

/// 0.413 as "41.3%".
std::string percent_text(double share);

/// "52.3 MB", in powers of ten.
std::string format_bytes(std::uint64_t bytes);

/// A value such as "12.5ms", "3s", "200us" or "1500" (ns) in whole ns; false for other text.
bool parse_duration(const std::string& text, std::int64_t& ns);

}  // namespace tactus
