#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace tactus::record {

/// Tells a recorder with --ring to write what it has. `pid` is the recorder, or a process that it
/// records. The value is the recorder.
Result<std::int64_t> trigger(std::int64_t pid, const std::string& proc = "/proc");

}  // namespace tactus::record
