#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "record/attach/territory.h"
#include "record/attach/trampoline.h"

namespace tactus::record {

/// Writes the trampoline to `place` and sends one thread of the process there, at a moment when
/// that is safe. Whatever happens to this program, the process runs on.
Status send_thread(std::int64_t pid, const Territory& territory, const Trampoline& trampoline,
                   std::uint64_t place, const std::function<bool()>& should_stop);

}  // namespace tactus::record
