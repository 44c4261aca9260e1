#include <algorithm>
#include <map>

#include "base/arithmetic.h"
#include "kernels/modules/module_nodes.h"

namespace tactus {
namespace {

/// Of modules without modules inside, so many of one class in one place are a list and not parts
/// with roles of their own (as the three products of an MLP are).
constexpr std::size_t kMostParts = 8;

/// The children of each node in the order of their first calls; the last entry has the roots.
std::vector<std::vector<std::uint32_t>> children_of(const ModuleNodes& nodes) {
  std::vector<std::vector<std::uint32_t>> children(nodes.nodes.size() + 1);
  for (std::uint32_t i = 0; i < nodes.nodes.size(); ++i) {
    const std::uint32_t parent = nodes.nodes[i].parent;
    children[parent == kNoRow ? nodes.nodes.size() : parent].push_back(i);
  }
  return children;
}

/// A module among those that one row sums up, and the layer that it is in.
struct FoldMember {
  std::uint32_t node = 0;
  std::optional<std::int64_t> layer;
};

/// The children of one class in one module.
struct SameClass {
  std::vector<std::uint32_t> nodes;
  bool are_neighbours = true;  ///< called one after the other, with nothing else in between
};

class Folder {
 public:
  Folder(const ModuleNodes& nodes, ModuleEvidence evidence)
      : nodes_(nodes),
        by_class_(evidence == ModuleEvidence::kFrames),
        children_(children_of(nodes)) {}

  std::vector<ModuleRow> rows() {
    // The roots of each process are the children of one place.
    std::map<std::uint32_t, std::vector<std::uint32_t>> roots;
    for (const std::uint32_t root : children_.back()) {
      roots[nodes_.nodes[root].process].push_back(root);
    }
    std::vector<Place> places;
    for (auto& [process, list] : roots) places.push_back({std::move(list), std::nullopt});
    add(places, "", 0, 0);
    return std::move(rows_);
  }

 private:
  /// The modules called in one module.
  struct Place {
    std::vector<std::uint32_t> children;
    std::optional<std::int64_t> layer;
  };
  /// The modules of one row.
  struct Group {
    std::string name;
    std::string step;          ///< in the path
    std::int64_t repeats = 1;  ///< so many layers in one place
    std::vector<FoldMember> members;
  };

  std::map<std::uint32_t, SameClass> by_class(const Place& place) const {
    std::map<std::uint32_t, SameClass> classes;
    std::uint32_t last = kNoRow;
    for (const std::uint32_t child : place.children) {
      const std::uint32_t name = nodes_.nodes[child].name;
      SameClass& same = classes[name];
      if (!same.nodes.empty() && last != name) same.are_neighbours = false;
      same.nodes.push_back(child);
      last = name;
    }
    return classes;
  }

  bool are_layers(const SameClass& same, bool are_roots) const {
    if (!by_class_) return nodes_.nodes[same.nodes.front()].index >= 0;
    const bool have_parts =
        std::any_of(same.nodes.begin(), same.nodes.end(),
                    [&](std::uint32_t node) { return !children_[node].empty(); });
    if (!have_parts) return same.nodes.size() > kMostParts;
    return same.nodes.size() > 2 || (same.nodes.size() == 2 && same.are_neighbours && !are_roots);
  }

  std::vector<Group> groups_of(const std::vector<Place>& places, bool are_roots) const {
    // First which classes repeat, and how often at most: all places must agree.
    struct Class {
      bool are_layers = false;
      std::size_t most = 0;
    };
    std::map<std::uint32_t, Class> classes;
    for (const Place& place : places) {
      for (const auto& [name, same] : by_class(place)) {
        Class& found = classes[name];
        found.are_layers = found.are_layers || are_layers(same, are_roots);
        found.most = std::max(found.most, same.nodes.size());
      }
    }
    std::vector<Group> groups;
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> known;  // (name, position)
    for (const Place& place : places) {
      std::map<std::uint32_t, std::size_t> positions;
      for (const std::uint32_t child : place.children) {
        const ModuleNode& node = nodes_.nodes[child];
        const Class& found = classes[node.name];
        const std::size_t position = positions[node.name]++;
        const auto [at, is_new] =
            known.try_emplace({node.name, found.are_layers ? 0 : position}, groups.size());
        if (is_new) {
          groups.emplace_back();
          label(node, found.are_layers, position, found.most, groups.back());
          if (found.are_layers) groups.back().repeats = static_cast<std::int64_t>(found.most);
        }
        FoldMember member{child, place.layer};
        if (found.are_layers) {
          member.layer = by_class_ ? static_cast<std::int64_t>(position) : node.index;
        }
        groups[at->second].members.push_back(member);
      }
    }
    return groups;
  }

  void label(const ModuleNode& node, bool are_layers, std::size_t position, std::size_t most,
             Group& group) const {
    const std::string& name = nodes_.names[node.name];
    group.name = name;
    if (!by_class_ && node.index >= 0) {
      if (node.separator != 0) group.name += node.separator;
      group.name += '*';
      group.step = group.name;
      group.name += " ×" + std::to_string(most);
      return;
    }
    if (are_layers) {
      group.name += " ×" + std::to_string(most);
    } else if (most > 1) {
      group.name += " #" + std::to_string(position + 1) + " (of " + std::to_string(most) + ")";
    }
    group.step = group.name;
  }

  ModuleRow sum_of(const std::vector<FoldMember>& members) const {
    ModuleRow row;
    for (const FoldMember& member : members) {
      const ModuleNode& node = nodes_.nodes[member.node];
      if (node.kernels == 0) continue;
      row.total_ns = wrapping_add(row.total_ns, node.total_ns);
      row.self_ns = wrapping_add(row.self_ns, node.self_ns);
      row.kernels += node.kernels;
      row.backward_ns = wrapping_add(row.backward_ns, node.backward_ns);
      row.calls += node.calls;
      if (row.layers == 0 || node.total_ns < row.min_layer_ns) row.min_layer_ns = node.total_ns;
      if (row.layers == 0 || node.total_ns > row.max_layer_ns) {
        row.max_layer_ns = node.total_ns;
        row.max_layer = member.layer;
      }
      ++row.layers;
    }
    return row;
  }

  /// Rows for what is called in the places, and below them. Not deeper than ModuleNodes::kDeepest.
  void add(const std::vector<Place>& places, const std::string& above, std::size_t depth,
           std::int64_t passes) {
    for (const Group& group : groups_of(places, depth == 0)) {
      ModuleRow row = sum_of(group.members);
      if (row.kernels == 0) continue;
      row.name = group.name;
      row.path = above.empty() ? group.step : above + (by_class_ ? " / " : ".") + group.step;
      row.depth = depth;
      // Layers are roots if the frame around them is not in the trace.
      row.passes = depth == 0 ? (row.calls + group.repeats - 1) / group.repeats : passes;
      const std::int64_t root_calls = row.passes;
      const std::string path = row.path;
      rows_.push_back(std::move(row));
      std::vector<Place> inside;
      for (const FoldMember& member : group.members) {
        if (!children_[member.node].empty()) {
          inside.push_back({children_[member.node], member.layer});
        }
      }
      if (!inside.empty()) add(inside, path, depth + 1, root_calls);
    }
  }

  const ModuleNodes& nodes_;
  bool by_class_;  ///< nodes are classes and instances; else attributes
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<ModuleRow> rows_;
};

}  // namespace

std::vector<ModuleRow> folded_rows(const ModuleNodes& nodes, ModuleEvidence evidence) {
  return Folder(nodes, evidence).rows();
}

std::vector<ModuleRow> single_rows(const ModuleNodes& nodes, ModuleEvidence evidence,
                                   const Run& run) {
  const std::vector<std::vector<std::uint32_t>> children = children_of(nodes);
  bool has_processes = false;
  for (const ModuleNode& node : nodes.nodes) {
    has_processes = has_processes || node.process != nodes.nodes.front().process;
  }
  std::vector<ModuleRow> rows;
  std::vector<std::size_t> row_of(nodes.nodes.size(), 0);
  std::vector<std::uint32_t> open(children.back().rbegin(), children.back().rend());
  while (!open.empty()) {
    const std::uint32_t index = open.back();
    open.pop_back();
    const ModuleNode& node = nodes.nodes[index];
    if (node.kernels == 0) continue;
    ModuleRow row;
    row.name = nodes.names[node.name];
    if (node.index >= 0) {
      if (node.separator != 0) row.name += node.separator;
      row.name += std::to_string(node.index);
    }
    if (node.parent == kNoRow && has_processes && node.process < run.processes.size()) {
      const Process& process = run.processes[node.process];
      if (process.rank) {
        row.name += " (rank " + std::to_string(*process.rank) + ")";
      } else if (process.os_pid) {
        row.name += " (process " + std::to_string(*process.os_pid) + ")";
      }
    }
    const ModuleRow* parent = node.parent == kNoRow ? nullptr : &rows[row_of[node.parent]];
    const std::string_view join = evidence == ModuleEvidence::kFrames ? " / " : ".";
    row.path = parent ? parent->path + std::string(join) + row.name : row.name;
    row.depth = node.depth;
    row.total_ns = node.total_ns;
    row.self_ns = node.self_ns;
    row.kernels = node.kernels;
    row.backward_ns = node.backward_ns;
    row.calls = node.calls;
    row.passes = parent ? parent->passes : node.calls;
    row.layers = 1;
    row.min_layer_ns = row.max_layer_ns = node.total_ns;
    row_of[index] = rows.size();
    rows.push_back(std::move(row));
    open.insert(open.end(), children[index].rbegin(), children[index].rend());
  }
  return rows;
}

}  // namespace tactus
