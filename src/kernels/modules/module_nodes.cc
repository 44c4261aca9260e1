#include "kernels/modules/module_nodes.h"

#include "base/arithmetic.h"

namespace tactus {

std::uint32_t ModuleNodes::child(std::uint32_t parent, std::uint32_t process,
                                 const ModuleStep& step) {
  if (parent != kNoRow && nodes[parent].depth + 1 >= kDeepest) return parent;
  auto name = name_ids_.find(step.name);
  if (name == name_ids_.end()) {
    name = name_ids_.try_emplace(std::string(step.name), static_cast<std::uint32_t>(names.size()))
               .first;
    names.emplace_back(step.name);
  }
  const auto next = static_cast<std::uint32_t>(nodes.size());
  const auto [at, is_new] =
      known_.try_emplace(std::tuple(process, parent, name->second, step.index), next);
  if (is_new) {
    ModuleNode node;
    node.parent = parent;
    node.name = name->second;
    node.index = step.index;
    node.separator = step.separator;
    node.depth = parent == kNoRow ? 0 : nodes[parent].depth + 1;
    node.process = process;
    nodes.push_back(node);
  }
  return at->second;
}

std::uint32_t ModuleNodes::child(std::uint32_t parent, std::uint32_t process,
                                 std::span<const ModuleStep> steps) {
  for (const ModuleStep& step : steps) parent = child(parent, process, step);
  return parent;
}

void ModuleNodes::add_up() {
  for (ModuleNode& node : nodes) node.total_ns = node.self_ns;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const ModuleNode& node = nodes[i];
    if (node.parent == kNoRow) continue;
    ModuleNode& parent = nodes[node.parent];
    parent.total_ns = wrapping_add(parent.total_ns, node.total_ns);
    parent.backward_ns = wrapping_add(parent.backward_ns, node.backward_ns);
    parent.kernels += node.kernels;
  }
}

}  // namespace tactus
