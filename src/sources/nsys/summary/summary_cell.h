#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::nsys {

/// "41.5%", with the text that an author typed before it: "norm.cuh 41.5%".
struct ShareCell {
  double percent = 0;
  std::string_view typed_in_front;
};
std::optional<ShareCell> read_share(std::string_view cell);

/// "ns", "us", ..., as profilers write them.
bool is_time_unit(std::string_view text);

/// "132    1    1", also with commas or brackets: three whole numbers.
std::optional<std::array<std::int64_t, 3>> read_dimensions(std::string_view cell);

/// "1.266 s", or "1,266,000,000" if the heading gives the unit.
struct TimeCell {
  std::int64_t ns = 0;             ///< 0 if the unit is unknown
  std::int64_t resolution_ns = 1;  ///< of the last digit printed
  bool unknown_unit = false;
};
/// Exact: no digit goes through a double. Parts below 1 ns are cut off, as the profiler does.
std::optional<TimeCell> read_time(std::string_view cell, std::string_view heading_unit);

/// "2304" or "2,304".
std::optional<std::int64_t> read_count(std::string_view cell);

}  // namespace tactus::nsys
