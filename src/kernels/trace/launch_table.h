#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/trace/attribution.h"
#include "run/filter.h"
#include "stats/summary.h"

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

/// Steps of one name, or launches of one graph, as the device saw them: from the start of the
/// first work to the end of the last.
struct GpuTimeRow {
  std::string name;
  bool is_graph = false;
  DurationSummary times;
};

struct LaunchTable {
  std::vector<LaunchRow> rows;        ///< by launches
  std::vector<GpuTimeRow> gpu_times;  ///< longest total first; none if none were taken
  std::int64_t launches = 0;
  std::int64_t of_graphs = 0;
  std::int64_t with_line = 0;
  std::int64_t with_op = 0;

  /// Graphs have times and single kernels do not: only of graphs alone is it known when the device
  /// was busy.
  bool shows_busy_time() const { return launches != 0 && launches == of_graphs; }
};

/// True if a run was written by `tactus record` and has no kernel: light mode takes no times of
/// single kernels.
bool has_only_launches(const Run& run);

/// What a recording knows about launches if it has no kernels: those of `tactus record` in light
/// mode. Launches that went into a graph while it was captured are left out.
LaunchTable launch_table(const Run& run, const SliceFilter& filter);

}  // namespace tactus
