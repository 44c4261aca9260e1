#pragma once

#include <string_view>

namespace tactus {

/// The judge's own kernels for GPUs, as the driver reads them (PTX): `judge_empty`, `judge_copy`,
/// `judge_read` and `judge_refresh`; see judge_kernels.cu.
std::string_view judge_kernels_ptx();

}  // namespace tactus
