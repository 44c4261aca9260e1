#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel_report.h"

namespace tactus::page {

/// What the nodes of a flame graph are.
enum class FlameKind : std::uint8_t { kNone, kPython, kOps };
std::string_view flame_kind_name(FlameKind kind);

struct FlameNode {
  std::string name;
  std::int32_t parent = -1;    ///< index of nodes; always smaller than its own
  std::int64_t launches = 0;   ///< kernels, of the node and all inside it
  std::int64_t device_ns = 0;  ///< their time
};

/// Launches by what was open on the host when they were made: Python functions and framework ops,
/// the outermost first, the kernel last.
struct Flame {
  FlameKind kind = FlameKind::kNone;
  std::vector<FlameNode> nodes;
  bool is_cut = false;  ///< stacks went into "(more)", because there were too many nodes
};

/// `report` is the whole report of the kernels of `run`.
Flame make_flame(const Run& run, const KernelReport& report);

}  // namespace tactus::page
