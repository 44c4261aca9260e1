#pragma once

#include "names/kernel_name.h"
#include "names/tokens/name_tokens.h"

namespace tactus::names {

/// For kernels that no rule knows: what the words of the kernel's own name hint at ("my_rms_norm"
/// is a norm). Leaves `name` as it is if they hint at nothing.
void guess_by_parts(const NameTokens& tokens, KernelName& name);

}  // namespace tactus::names
