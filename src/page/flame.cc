#include "page/flame.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "launches/nesting.h"
#include "names/display_names.h"

namespace tactus::page {
namespace {

constexpr std::size_t kMostNodes = 20'000;
constexpr std::size_t kDeepest = 200;

/// Python frames and framework ops that belong to the run.
std::vector<std::uint32_t> host_scopes(const Run& run, FlameKind& kind) {
  std::vector<std::uint32_t> scopes;
  bool has_python = false;
  run.slices.category().for_each_piece(
      0, run.slices.size(), [&](std::size_t first, std::span<const std::int64_t> categories) {
        for (std::size_t i = 0; i < categories.size(); ++i) {
          const SliceKind slice = run.kind_of(categories[i]);
          if (slice != SliceKind::kPython && slice != SliceKind::kCpuOp) continue;
          has_python = has_python || slice == SliceKind::kPython;
          scopes.push_back(static_cast<std::uint32_t>(first + i));
        }
      });
  kind = scopes.empty() ? FlameKind::kNone : has_python ? FlameKind::kPython : FlameKind::kOps;
  return scopes;
}

class Tree {
 public:
  explicit Tree(Flame& flame) : flame_(flame) {}

  std::int32_t child(std::int32_t parent, std::uint32_t name, std::string_view text) {
    const std::uint64_t key = static_cast<std::uint64_t>(parent + 1) << 32 | name;
    const auto [at, is_new] = places_.try_emplace(key, 0);
    if (!is_new) return at->second;
    if (flame_.nodes.size() >= kMostNodes) {
      flame_.is_cut = true;
      places_.erase(at);
      return parent < 0 ? more() : parent;
    }
    at->second = add(parent, text);
    return at->second;
  }

 private:
  std::int32_t add(std::int32_t parent, std::string_view text) {
    flame_.nodes.push_back({.name = std::string(text), .parent = parent});
    return static_cast<std::int32_t>(flame_.nodes.size()) - 1;
  }
  std::int32_t more() {
    if (more_ < 0) more_ = add(-1, "(more)");
    return more_;
  }

  Flame& flame_;
  std::unordered_map<std::uint64_t, std::int32_t> places_;
  std::int32_t more_ = -1;
};

}  // namespace

std::string_view flame_kind_name(FlameKind kind) {
  switch (kind) {
    case FlameKind::kPython: return "python";
    case FlameKind::kOps: return "ops";
    case FlameKind::kNone: break;
  }
  return "none";
}

Flame make_flame(const Run& run, const KernelReport& report) {
  Flame flame;
  const std::vector<std::uint32_t> scopes = host_scopes(run, flame.kind);
  if (scopes.empty() || report.sites.empty()) return {};
  std::vector<std::uint32_t> points;
  points.reserve(report.sites.size());
  for (const LaunchSite& site : report.sites) points.push_back(site.call);
  const Nesting nesting = nest(run, scopes, points);
  std::vector<std::string_view> names;
  for (const KernelRow& row : report.table.rows) names.push_back(row.name);
  const std::vector<std::string> short_names = display_names(names, report.names);

  Tree tree(flame);
  // A scope's node is that of the first time; the tree is by name, so equal paths share one.
  std::vector<std::int32_t> node_of_scope(scopes.size(), -2);
  constexpr std::uint32_t kUnknown = UINT32_MAX;
  constexpr std::uint32_t kFirstKernel = 1U << 31;  // besides the names of scopes
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    std::vector<std::uint32_t> path;
    std::int32_t node = -1;
    std::uint32_t scope = nesting.innermost[i];
    while (scope != kNoRow && node_of_scope[scope] == -2 && path.size() < kDeepest) {
      path.push_back(scope);
      scope = nesting.parent[scope];
    }
    if (scope != kNoRow && node_of_scope[scope] != -2) node = node_of_scope[scope];
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      const auto name = static_cast<std::uint32_t>(run.slices.name()[scopes[*at]]);
      node = tree.child(node, name, run.strings[StringId(name)]);
      node_of_scope[*at] = node;
    }
    if (nesting.innermost[i] == kNoRow) {
      node = tree.child(-1, kUnknown, "(launch not recorded)");
    }
    const std::uint32_t row = report.row_of_name[report.kernels.names[i]];
    if (row != kNoRow) node = tree.child(node, kFirstKernel | row, short_names[row]);
    for (std::int32_t up = node; up >= 0; up = flame.nodes[static_cast<std::size_t>(up)].parent) {
      FlameNode& counted = flame.nodes[static_cast<std::size_t>(up)];
      ++counted.launches;
      counted.device_ns += report.kernels.durs[i];
    }
  }
  return flame;
}

}  // namespace tactus::page
