#pragma once

#include "base/file.h"
#include "base/result.h"

namespace tactus::inject {

/// Held while an injection runs: one per host and user. The kernel gives it free when the last
/// process that has it is gone, so a crash leaves nothing behind. An error names who holds it. It
/// is a socket that listens: recorders ask there what is injected (Announcement).
Result<File> take_the_turn();

}  // namespace tactus::inject
