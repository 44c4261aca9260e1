#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/modules/module_tree.h"
#include "launches/kernel_instances.h"
#include "names/module_name.h"

namespace tactus {

/// A module of one process, at its place in the model.
struct ModuleNode {
  std::uint32_t parent = kNoRow;
  std::uint32_t name = 0;   ///< of ModuleNodes::names
  std::int64_t index = -1;  ///< of the instance or the layer; -1 if it has none
  char separator = 0;
  std::uint32_t depth = 0;
  std::uint32_t process = 0;
  std::int64_t self_ns = 0;
  std::int64_t total_ns = 0;
  std::int64_t kernels = 0;
  std::int64_t backward_ns = 0;
  std::int64_t calls = 0;
};

/// The modules of a run as a tree. A node stands behind its parent.
struct ModuleNodes {
  /// No model nests deeper. What lies deeper counts to the module at this depth, so a stack of
  /// ten thousand frames does not print paths of ten thousand steps.
  static constexpr std::uint32_t kDeepest = 64;

  std::vector<ModuleNode> nodes;
  std::vector<std::string> names;

  /// The child of a node (kNoRow: a root of the process), new if need be.
  std::uint32_t child(std::uint32_t parent, std::uint32_t process, const ModuleStep& step);
  std::uint32_t child(std::uint32_t parent, std::uint32_t process,
                      std::span<const ModuleStep> steps);
  /// Adds the sums of what lies inside to each node.
  void add_up();

 private:
  std::map<std::string, std::uint32_t, std::less<>> name_ids_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t>, std::uint32_t>
      known_;  ///< (process, parent, name, index) -> node
};

/// The rows of a tree that was added up.
std::vector<ModuleRow> folded_rows(const ModuleNodes& nodes, ModuleEvidence evidence);
std::vector<ModuleRow> single_rows(const ModuleNodes& nodes, ModuleEvidence evidence,
                                   const Run& run);

}  // namespace tactus
