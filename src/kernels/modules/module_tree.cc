#include "kernels/modules/module_tree.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "base/arithmetic.h"
#include "kernels/modules/module_nodes.h"
#include "launches/module_calls.h"
#include "launches/nesting.h"
#include "run/args/arg_lookup.h"
#include "run/event_view.h"

namespace tactus {
namespace {

/// Kernels attributed to modules in one of the ways.
struct ModulesOfKernels {
  ModuleEvidence evidence = ModuleEvidence::kNone;
  ModuleNodes nodes;
  std::vector<std::uint32_t> node_of_kernel;  ///< kNoRow: outside
  std::vector<bool> is_backward;              ///< by kernel: known by its forward op
  // By call of a module; none for kHierarchy, which does not say what is one call.
  ModuleCalls calls;
  std::vector<std::uint32_t> node_of_call;
  std::vector<bool> is_call;  ///< false: stands for the module around it

  std::int64_t covered_ns(std::span<const std::int64_t> durs) const {
    std::int64_t ns = 0;
    for (std::size_t i = 0; i < node_of_kernel.size(); ++i) {
      if (node_of_kernel[i] != kNoRow) ns = wrapping_add(ns, durs[i]);
    }
    return ns;
  }
};

/// The process of a slice. A capture is a recording of its own, but shows a process of the run: the
/// one with the same pid, or the only one there is.
class ProcessOf {
 public:
  explicit ProcessOf(const Run& run) : run_(run), stands_for_(run.processes.size()) {
    std::vector<bool> is_own(run.processes.size(), false);
    for_each_slice(
        run, Captures::kLeaveOut,
        [](SliceKind kind) { return kind == SliceKind::kRuntime || kind == SliceKind::kDriver; },
        std::array{&run.slices.track()},
        [&](std::size_t, SliceKind, const auto& values) {
          const std::uint32_t process = of_track(values[0]);
          if (process < is_own.size()) is_own[process] = true;
        });
    const auto only = std::count(is_own.begin(), is_own.end(), true) == 1
                          ? std::find(is_own.begin(), is_own.end(), true) - is_own.begin()
                          : -1;
    for (std::uint32_t i = 0; i < stands_for_.size(); ++i) {
      stands_for_[i] = i;
      if (is_own[i] || !run.has_captures()) continue;
      if (only >= 0) stands_for_[i] = static_cast<std::uint32_t>(only);
      for (std::uint32_t other = 0; only < 0 && other < stands_for_.size(); ++other) {
        const bool is_same = is_own[other] && run.processes[i].os_pid &&
                             run.processes[i].os_pid == run.processes[other].os_pid;
        if (is_same) stands_for_[i] = other;
      }
    }
  }

  std::uint32_t row(std::uint32_t slice) const {
    const std::uint32_t process = of_track(run_.slices.track()[slice]);
    return process < stands_for_.size() ? stands_for_[process] : 0;
  }

 private:
  std::uint32_t of_track(std::int64_t value) const {
    const auto track = static_cast<std::size_t>(value);
    if (track >= run_.tracks.size()) return 0;
    const std::size_t thread = run_.tracks[track].thread.value;
    return thread < run_.threads.size() ? run_.threads[thread].process.value : 0;
  }

  const Run& run_;
  std::vector<std::uint32_t> stands_for_;  ///< by process
};

std::string_view name_of(const Run& run, std::uint32_t row) {
  return run.strings[StringId(static_cast<std::uint64_t>(run.slices.name()[row]))];
}

/// Rows of the slices of a kind whose name passes; each name is looked at once.
template <class Passes>
std::vector<std::uint32_t> rows_with_names(const Run& run, SliceKind kind, const Passes& passes) {
  std::vector<std::int8_t> known(run.strings.size(), -1);
  std::vector<std::uint32_t> rows;
  for_each_slice(
      run, Captures::kInclude, [&](SliceKind found) { return found == kind; },
      std::array{&run.slices.name()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto name = static_cast<std::size_t>(values[0]);
        if (name >= known.size()) return;
        if (known[name] < 0) known[name] = passes(run.strings[StringId(name)]) ? 1 : 0;
        if (known[name] == 1) rows.push_back(static_cast<std::uint32_t>(row));
      });
  return rows;
}

/// The nodes of calls of modules. Many calls have the same name inside the same module.
class NodesOfCalls {
 public:
  NodesOfCalls(const Run& run, ModulesOfKernels& modules)
      : run_(run), process_of_(run), modules_(modules) {
    modules.node_of_call.reserve(modules.calls.calls.size());
  }

  /// `place(parent, process, row)` finds the node of a call inside the node `parent`, or returns
  /// `parent` if the call is not one of a module of its own.
  template <class Place>
  void find(const Place& place) {
    for (const ModuleCall& call : modules_.calls.calls) {
      const std::uint32_t parent =
          call.parent == kNoRow ? kNoRow : modules_.node_of_call[call.parent];
      const std::uint32_t process = process_of_.row(call.row);
      const std::uint64_t around = parent == kNoRow ? kRoots + process : parent;
      const auto name = static_cast<std::uint64_t>(run_.slices.name()[call.row]);
      const auto [at, is_new] = known_.try_emplace(around << 32 ^ name);
      if (is_new) at->second = place(parent, process, call.row);
      modules_.node_of_call.push_back(at->second);
      modules_.is_call.push_back(at->second != parent);
    }
  }

 private:
  static constexpr std::uint64_t kRoots = std::uint64_t{1} << 31;

  const Run& run_;
  ProcessOf process_of_;
  ModulesOfKernels& modules_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

/// By kernel, the call that launched it; for kernels of the backward pass the op of the forward
/// pass decides where the call lies in no module.
struct LaunchPoints {
  std::vector<std::uint32_t> launches;
  std::vector<std::uint32_t> forward;
};

void attribute_by_calls(const Run& run, const LaunchPoints& points, ModulesOfKernels& modules) {
  std::vector<std::uint32_t> call_of = modules.calls.of_kernel;
  std::vector<std::uint32_t> forward(call_of.size(), kNoRow);
  bool has_forward = false;
  for (std::size_t i = 0; i < call_of.size(); ++i) {
    if (call_of[i] != kNoRow || points.forward[i] == kNoRow) continue;
    forward[i] = points.forward[i];
    has_forward = true;
  }
  modules.is_backward.assign(call_of.size(), false);
  if (has_forward) {
    std::vector<std::uint32_t> rows;
    for (const ModuleCall& call : modules.calls.calls) rows.push_back(call.row);
    const Nesting nesting = nest(run, rows, forward);
    for (std::size_t i = 0; i < call_of.size(); ++i) {
      if (nesting.innermost[i] == kNoRow) continue;
      call_of[i] = nesting.innermost[i];
      modules.is_backward[i] = true;
    }
  }
  for (const std::uint32_t call : call_of) {
    modules.node_of_kernel.push_back(call == kNoRow ? kNoRow : modules.node_of_call[call]);
  }
}

/// A module that calls itself stays one row.
std::uint32_t same_above(const ModuleNodes& nodes, std::uint32_t node, const ModuleStep& step) {
  for (; node != kNoRow; node = nodes.nodes[node].parent) {
    const ModuleNode& above = nodes.nodes[node];
    if (above.index == step.index && nodes.names[above.name] == step.name) return node;
  }
  return kNoRow;
}

ModulesOfKernels modules_by_frames(const Run& run, const LaunchPoints& points) {
  ModulesOfKernels modules{.evidence = ModuleEvidence::kFrames};
  const std::vector<std::uint32_t> rows =
      rows_with_names(run, SliceKind::kPython,
                      [](std::string_view name) { return read_module_frame(name).has_value(); });
  if (rows.empty()) return modules;
  modules.calls = nest_module_calls(run, rows, points.launches);
  NodesOfCalls(run, modules)
      .find([&](std::uint32_t parent, std::uint32_t process, std::uint32_t row) {
        const ModuleStep step = *read_module_frame(name_of(run, row));
        const std::uint32_t same = same_above(modules.nodes, parent, step);
        return same != kNoRow ? same : modules.nodes.child(parent, process, step);
      });
  attribute_by_calls(run, points, modules);
  return modules;
}

/// First steps of the paths that certainly name modules: "model" of "model.layers.3".
std::set<std::string_view> roots_of_ranges(const Run& run, std::span<const std::uint32_t> rows) {
  std::set<std::string_view> roots;
  std::set<std::int64_t> seen;
  for (const std::uint32_t row : rows) {
    if (!seen.insert(run.slices.name()[row]).second) continue;
    const ModuleRange range = read_module_range(name_of(run, row));
    if (range.kind < ModuleRange::Kind::kLayered) continue;
    const std::vector<ModuleStep> steps = steps_of_path(range.path);
    if (steps.size() > 1 && steps.front().index < 0) roots.insert(steps.front().name);
  }
  return roots;
}

ModulesOfKernels modules_by_ranges(const Run& run, const LaunchPoints& points) {
  using Kind = ModuleRange::Kind;
  ModulesOfKernels modules{.evidence = ModuleEvidence::kRanges};
  const std::vector<std::uint32_t> rows = rows_with_names(
      run, SliceKind::kAnnotation,
      [](std::string_view name) { return read_module_range(name).kind != Kind::kNone; });
  if (rows.empty()) return modules;
  modules.calls = nest_module_calls(run, rows, points.launches);
  const std::set<std::string_view> roots = roots_of_ranges(run, rows);
  NodesOfCalls(run, modules)
      .find([&](std::uint32_t parent, std::uint32_t process, std::uint32_t row) {
        const ModuleRange range = read_module_range(name_of(run, row));
        const std::vector<ModuleStep> steps = steps_of_path(range.path);
        const bool from_root = range.kind == Kind::kNamed || roots.contains(steps.front().name);
        // Whether a plain word is a module, only the module around it can tell.
        if (range.kind == Kind::kPlain && !from_root && parent == kNoRow) return kNoRow;
        return modules.nodes.child(from_root ? kNoRow : parent, process, steps);
      });
  attribute_by_calls(run, points, modules);
  return modules;
}

ModulesOfKernels modules_by_hierarchy(const Run& run, std::span<const LaunchSite> sites) {
  ModulesOfKernels modules{.evidence = ModuleEvidence::kHierarchy};
  modules.node_of_kernel.assign(sites.size(), kNoRow);
  modules.is_backward.assign(sites.size(), false);
  std::vector<std::uint32_t> ops;
  for (const LaunchSite& site : sites) {
    if (site.op != kNoRow) ops.push_back(site.op);
  }
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  const std::vector<std::optional<Value>> texts = args_of_slices(run, ops, "Module Hierarchy");
  const ProcessOf process_of(run);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].op == kNoRow) continue;
    const auto at = std::lower_bound(ops.begin(), ops.end(), sites[i].op) - ops.begin();
    const std::optional<Value>& text = texts[static_cast<std::size_t>(at)];
    if (!text || text->type != ValueType::kText) continue;
    const std::vector<ModuleStep> steps =
        steps_of_hierarchy(run.strings[StringId(static_cast<std::uint64_t>(text->raw))]);
    if (steps.empty()) continue;
    modules.node_of_kernel[i] = modules.nodes.child(kNoRow, process_of.row(sites[i].op), steps);
  }
  return modules;
}

bool has_key(const Run& run, std::string_view key) {
  for (const ArgShape& shape : run.shapes) {
    for (const auto& field : shape) {
      if (run.strings[field.key] == key) return true;
    }
  }
  return false;
}

/// Of all ways, the one that knows the modules of most of the time. Ranges and hierarchies know the
/// names of attributes, so they win if they know nearly as much.
ModulesOfKernels best_modules(const Run& run, const KernelInstances& kernels,
                              std::span<const LaunchSite> sites) {
  LaunchPoints points;
  for (const LaunchSite& site : sites) points.launches.push_back(site.call);
  points.forward = forward_ops(run, sites);
  std::vector<ModulesOfKernels> ways;
  ways.push_back(modules_by_ranges(run, points));
  if (has_key(run, "Module Hierarchy")) ways.push_back(modules_by_hierarchy(run, sites));
  ways.push_back(modules_by_frames(run, points));
  std::vector<std::int64_t> covered_ns;
  for (const ModulesOfKernels& way : ways) covered_ns.push_back(way.covered_ns(kernels.durs));
  const std::int64_t most = *std::max_element(covered_ns.begin(), covered_ns.end());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const bool is_enough = static_cast<double>(covered_ns[i]) >= 0.95 * static_cast<double>(most);
    const bool knows_any = std::any_of(ways[i].node_of_kernel.begin(), ways[i].node_of_kernel.end(),
                                       [](std::uint32_t node) { return node != kNoRow; });
    if (is_enough && knows_any) return std::move(ways[i]);
  }
  return {};
}

/// Counts the calls that launched kernels. A graph that is replayed calls its modules again.
void count_calls(const Run& run, const KernelInstances& kernels, std::span<const LaunchSite> sites,
                 ModulesOfKernels& modules) {
  if (modules.calls.calls.empty()) return;
  const std::vector<std::uint32_t> started_by = starting_calls(run, kernels.rows);
  const auto replay_of = [&](std::size_t kernel) {
    return sites[kernel].captured ? started_by[kernel] : kNoRow;
  };
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    if (modules.calls.of_kernel[i] != kNoRow && !modules.is_backward[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return replay_of(a) < replay_of(b); });
  constexpr std::uint32_t kNever = kNoRow - 1;
  std::vector<std::uint32_t> counted(modules.calls.calls.size(), kNever);  // by call: last replay
  for (const std::uint32_t kernel : order) {
    std::uint32_t call = modules.calls.of_kernel[kernel];
    for (; call != kNoRow && counted[call] != replay_of(kernel);
         call = modules.calls.calls[call].parent) {
      counted[call] = replay_of(kernel);
      if (modules.is_call[call]) ++modules.nodes.nodes[modules.node_of_call[call]].calls;
    }
  }
}

}  // namespace

std::string_view module_evidence_name(ModuleEvidence evidence) {
  switch (evidence) {
    case ModuleEvidence::kNone: return "none";
    case ModuleEvidence::kFrames: return "frames";
    case ModuleEvidence::kRanges: return "ranges";
    case ModuleEvidence::kHierarchy: return "hierarchy";
  }
  return "none";
}

ModuleTree module_tree(const Run& run, const KernelInstances& kernels,
                       std::span<const LaunchSite> sites, bool folded) {
  ModulesOfKernels modules = best_modules(run, kernels, sites);
  ModuleTree tree;
  tree.evidence = modules.evidence;
  ModuleRow outside{.name = "outside modules", .path = "outside modules"};
  outside.is_outside = true;
  if (modules.evidence == ModuleEvidence::kNone)
    modules.node_of_kernel.assign(kernels.size(), kNoRow);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::int64_t ns = kernels.durs[i];
    if (modules.node_of_kernel[i] == kNoRow) {
      outside.self_ns = wrapping_add(outside.self_ns, ns);
      ++outside.kernels;
      continue;
    }
    ModuleNode& node = modules.nodes.nodes[modules.node_of_kernel[i]];
    node.self_ns = wrapping_add(node.self_ns, ns);
    ++node.kernels;
    if (sites[i].captured) tree.captured_ns = wrapping_add(tree.captured_ns, ns);
    if (!modules.is_backward[i]) continue;
    node.backward_ns = wrapping_add(node.backward_ns, ns);
    tree.backward_ns = wrapping_add(tree.backward_ns, ns);
  }
  count_calls(run, kernels, sites, modules);
  modules.nodes.add_up();
  tree.rows = folded ? folded_rows(modules.nodes, modules.evidence)
                     : single_rows(modules.nodes, modules.evidence, run);
  outside.total_ns = outside.self_ns;
  if (outside.kernels != 0) tree.rows.push_back(std::move(outside));
  return tree;
}

}  // namespace tactus
