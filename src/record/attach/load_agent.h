#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace tactus::record {

/// True if it has loaded the CUDA driver.
bool has_cuda(std::int64_t pid);

/// Loads the agent into a process that runs and was started without it. One thread of the process
/// is stopped for a moment; it starts another one that does the work. Returns when
/// the agent is there. An error says why nothing was loaded; the process runs on in any case, also
/// if this program is killed in the middle. `should_stop`: asked while waiting.
Status load_agent(std::int64_t pid, const std::string& library,
                  const std::function<bool()>& should_stop);

}  // namespace tactus::record
