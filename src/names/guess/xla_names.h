#pragma once

#include <string_view>

#include "names/kernel_name.h"

namespace tactus::names {

/// XLA calls a kernel by its HLO instruction: "loop_add_fusion", "wrapped_convert", "copy",
/// "all-reduce-start", mostly with a number behind ("copy.5"). A fusion has the kind and the
/// operations that it ends in. False if the name is none of these.
bool read_xla_name(std::string_view word, bool numbered, KernelName& name);

}  // namespace tactus::names
