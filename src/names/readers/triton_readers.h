#pragma once

#include "names/rule.h"

namespace tactus::names {

/// triton_<poi|red|per|tem>_fused_<ops>_<n>, the names that Inductor gives its kernels. The fused
/// operators become `op`, joined by commas, and decide the family.
void read_inductor(const NameTokens& tokens, std::size_t at, KernelName& name);

/// A bare name that says nothing else.
void read_nothing(const NameTokens& tokens, std::size_t at, KernelName& name);

}  // namespace tactus::names
