#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tactus {

/// The origin of a role.
struct RoleOrigin {
  std::string path;
  std::string host;  ///< may be empty
  std::int64_t pid = 0;
};

/// A label for each role, all different: FILE_HOST_PID, with the folders above the file if that is
/// not unique, and _v2 if it is still not unique.
std::vector<std::string> label_roles(std::span<const RoleOrigin> roles);

}  // namespace tactus
