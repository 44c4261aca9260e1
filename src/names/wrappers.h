#pragma once

#include <array>
#include <string_view>

namespace tactus::names {

/// Whether a template only launches its argument, which is the kernel proper:
/// cutlass::device_kernel<Mine>, ck_tile::kentry<1, Mine>.
inline bool is_wrapper(std::string_view word) {
  constexpr std::array<std::string_view, 4> kWrappers = {"device_kernel", "Kernel2", "kentry",
                                                         "Kernel"};
  // enable_sm90_or_later, enable_sm80_to_sm89; enable_3x_kernel_for_sm9x (PyTorch)
  if (word.starts_with("enable_sm") || word.starts_with("enable_3x")) return true;
  for (const std::string_view wrapper : kWrappers) {
    if (word == wrapper) return true;
  }
  return false;
}

}  // namespace tactus::names
