#pragma once

#include <array>

#include "operators/cpu/norm_kernels.h"

namespace tactus::TACTUS_ISA {

inline constexpr std::array kEntries = {
    tactus_entry{"rms_norm", TACTUS_CPU, rms_norm, nullptr},
};

}  // namespace tactus::TACTUS_ISA
