#pragma once

#include <string_view>

namespace tactus::counters {

/// The unit that a counter's name implies ("MHz", "%", "bytes"); empty if it implies none. A
/// process id at the end of the name ("process_cpu_usage_4711") does not matter.
std::string_view unit_of(std::string_view counter);

}  // namespace tactus::counters
