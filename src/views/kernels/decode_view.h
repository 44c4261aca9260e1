#pragma once

#include <span>
#include <string>

namespace tactus {

/// What kernel names say, in the order given: as JSON an array of objects.
std::string show_decoded(std::span<const std::string> names, bool as_json);

}  // namespace tactus
