#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::kineto {

/// True for the text that `key_averages().table()` of torch.profiler prints.
bool is_averages_table(std::string_view head);

/// Such a table is not read: its rows are ops, and kernels beside the ops that launched them, so
/// times count several times; and it cuts the names of kernels, so that they say little. The
/// message names what to give instead.
Status refuse_averages_table(const InputBytes& bytes);

}  // namespace tactus::kineto
