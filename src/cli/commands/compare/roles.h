#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cycles/cycles.h"

namespace tactus::cli {

/// What `compare --roles` was asked.
struct RolesQuestion {
  const std::vector<std::string>& inputs;
  const std::string& folder;  ///< for the reports; empty for none, - prints them
  bool force = false;
  bool json = false;
  std::optional<Phase> phase;  ///< of the steps of traces; none for all
  std::size_t warmup = 0;      ///< first steps of each process of a trace that are left out
};

/// Compares all processes of all runs with each other: those of `*_perf_data.csv`, and of traces,
/// whose patterns are made.
Result<int> compare_roles_of(const RolesQuestion& question, const CommonOptions& common);

}  // namespace tactus::cli
