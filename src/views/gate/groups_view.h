#pragma once

#include <optional>
#include <string>

#include "gate/groups.h"

namespace tactus {

/// The words that `tactus gate groups` writes for --groups; `file` is the one that it wrote.
std::string groups_json(const gate::GroupMembers& members, const Run& run,
                        const std::optional<std::string>& file);

}  // namespace tactus
