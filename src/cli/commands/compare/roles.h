#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace tactus::cli {

/// What `compare --roles` was asked.
struct RolesQuestion {
  const std::vector<std::string>& inputs;
  const std::string& folder;  ///< for the reports; empty for none, - prints them
  bool force = false;
  bool json = false;
};

/// Compares all processes of all runs with each other.
Result<int> compare_roles_of(const RolesQuestion& question, const CommonOptions& common);

}  // namespace tactus::cli
