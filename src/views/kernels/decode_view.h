#pragma once

#include <span>
#include <string>

#include "names/kernel_name.h"

namespace tactus {

/// What kernel names say, in the order given: as JSON an array of objects. `decoded` are those
/// names decoded.
std::string show_decoded(std::span<const std::string> names, std::span<const KernelName> decoded,
                         bool as_json);

}  // namespace tactus
