#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cycles/cycles.h"
#include "run/run.h"

namespace tactus {

/// A cycle as a comparison sees it.
struct CycleCost {
  std::int64_t number = 0;  ///< from 1
  double ns = 0;
  double launches = 0;
  std::optional<double> busy_ns;  ///< of the device, overlaps once; absent for patterns
  Phase phase = Phase::kUnknown;
  bool usable = false;  ///< whole, and something ran on a device
};

/// One function on one device, by cycle of its process.
struct FunctionCost {
  std::string name;
  std::string type;  ///< func_type of the patterns: gpu_compute, cpu_sync, ...
  std::string device;
  std::vector<double> ns;
  std::vector<double> count;
};

/// One process (a rank).
struct ProcessCost {
  std::int64_t pid = 0;
  std::string host;
  std::string anchor;
  std::vector<CycleCost> cycles;
  std::vector<FunctionCost> functions;
};

/// Independent values of one counter of one device.
struct CounterValues {
  std::string counter;
  std::string device;
  std::vector<double> values;
  std::optional<double> coverage;  ///< share of cycles that contain a sample; traces only
};

/// How often each thing occurs in a cycle, on average.
using Frequencies = std::map<std::string, double>;

/// One of the two runs of a comparison, from any kind of input.
struct ComparedRun {
  std::vector<ProcessCost> processes;
  std::vector<CounterValues> counters;
  /// How many rows (tokens) the matrix products of a phase have: shares of the products.
  std::array<Frequencies, kPhases> rows_of_products;
  std::optional<double> batch;           ///< median of the decode steps, if the engine says it
  std::optional<double> context_tokens;  ///< median of the prefill steps
  std::string kind_of_cycle;             ///< equal for cycles of one kind; empty for patterns
  std::size_t cycles_joined = 1;         ///< how many found cycles make one cycle here
  /// Bytes per second that the run itself copied to and from devices, if the trace has them.
  std::array<std::optional<double>, 2> own_copy_rate;
  bool is_trace = false;
  bool has_host = false;  ///< what the host did was recorded
};

/// From patterns (`*_perf_data.csv`).
ComparedRun compared_patterns(const Run& run);

/// From a trace, its cycles and the patterns made of them.
ComparedRun compared_trace(const Run& run, const Cycles& cycles, const Run& patterns);

/// Adds another file of the same side.
void add_side(ComparedRun more, ComparedRun& into);

bool is_gpu_type(std::string_view type);

/// Kernels of a usable cycle; 0 if there is none.
double median_launches(const ComparedRun& side);

/// Kernels per usable cycle by name.
Frequencies kernels_per_cycle(const ComparedRun& side, std::optional<Phase> phase);

/// What two frequencies share: sum of the smaller over sum of the larger; 1 for two empty ones.
double jaccard(const Frequencies& a, const Frequencies& b);

}  // namespace tactus
