#pragma once

#include <string_view>

namespace tactus {

/// benchmarks/rivals/torch_operators.py of this version, for a Python that has torch.
std::string_view embedded_torch_operators();

}  // namespace tactus
