#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tactus {

/// Where a role comes from.
struct RoleOrigin {
  std::string path;
  std::string host;  ///< may be empty
  std::int64_t pid = 0;
};

/// A label for each role, all different: FILE_HOST_PID; with the folders above the file where that
/// is not enough, and _v2 where they are not either.
std::vector<std::string> label_roles(std::span<const RoleOrigin> roles);

}  // namespace tactus
