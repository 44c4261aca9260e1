#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launches/kernel_instances.h"
#include "launches/launch_sites.h"

namespace tactus {

/// Where the modules of a trace come from.
enum class ModuleEvidence : std::uint8_t {
  kNone,
  kFrames,     ///< `nn.Module: Linear_3` in the Python stacks: classes, no attribute names
  kRanges,     ///< ranges that are named after modules: record_function, NVTX
  kHierarchy,  ///< the module hierarchy that TorchScript notes at ops
};
std::string_view module_evidence_name(ModuleEvidence evidence);

/// A module, or modules at the same place of layers that repeat.
struct ModuleRow {
  std::string name;              ///< "LlamaDecoderLayer ×16"
  std::string path;              ///< from the root: "LlamaModel / LlamaDecoderLayer ×16"
  std::size_t depth = 0;         ///< 0 for a root
  std::int64_t total_ns = 0;     ///< GPU time, with that of the modules inside
  std::int64_t self_ns = 0;      ///< without them
  std::int64_t kernels = 0;      ///< launches, with those of the modules inside
  std::int64_t backward_ns = 0;  ///< of the total: launched by the backward pass
  std::int64_t calls = 0;        ///< that launched kernels; 0 if calls are not recorded
  std::int64_t passes = 0;       ///< calls of the root; 0 if they are not recorded
  std::int64_t layers = 0;       ///< modules that the row sums up
  std::int64_t min_layer_ns = 0;
  std::int64_t max_layer_ns = 0;
  std::optional<std::int64_t> max_layer;  ///< the number of the layer that takes longest
  bool is_outside = false;                ///< the kernels that belong to no module
};

/// GPU time by module. The rows of depth 0 add up to the time of all kernels, and so does the own
/// time of all rows.
struct ModuleTree {
  ModuleEvidence evidence = ModuleEvidence::kNone;
  /// A module, then those inside it, in the order of their calls; the last row is what runs
  /// outside.
  std::vector<ModuleRow> rows;
  std::int64_t captured_ns = 0;  ///< of the modules: known from the capture of a graph
  std::int64_t backward_ns = 0;  ///< of the modules: known from autograd's sequence numbers
};

/// `sites` belong to `kernels`. Folded, layers that repeat are one row; else each module is one.
ModuleTree module_tree(const Run& run, const KernelInstances& kernels,
                       std::span<const LaunchSite> sites, bool folded);

}  // namespace tactus
