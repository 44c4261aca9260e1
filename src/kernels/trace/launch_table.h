#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/trace/attribution.h"
#include "run/filter.h"

namespace tactus {

/// Launches of one kernel or graph from one line, in one op. Times are those of the host in the
/// call, not of the device.
struct LaunchRow {
  std::string name;
  bool is_graph = false;
  std::int64_t launches = 0;
  std::int64_t host_ns = 0;
  std::optional<CallLine> line;  ///< unknown without stacks
  std::string op;                ///< aten::mm; empty without native stacks
};

struct LaunchTable {
  std::vector<LaunchRow> rows;  ///< by launches
  std::int64_t launches = 0;
  std::int64_t with_line = 0;
  std::int64_t with_op = 0;
};

/// What a recording knows about launches if it has no kernels: those of `tactus record` in light
/// mode. Launches that went into a graph while it was captured are left out.
LaunchTable launch_table(const Run& run, const SliceFilter& filter);

}  // namespace tactus
