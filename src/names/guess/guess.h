#pragma once

#include "names/kernel_name.h"
#include "names/tokens/name_tokens.h"

namespace tactus::names {

/// For kernels that no rule knows: guesses from the words of the kernel's own name ("my_rms_norm"
/// is a norm). Does not change `name` if the words say nothing.
void guess_by_parts(const NameTokens& tokens, KernelName& name);

}  // namespace tactus::names
