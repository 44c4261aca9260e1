#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bounds/roofline/speed_of_light.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"
#include "kernels/kernel_report.h"

namespace tactus {

/// How far the kernels of one row are from what the machine allows.
struct KernelBound {
  double t_sol_ns = 0;           ///< sum of the bounds of the instances whose shape is known
  double s = 0;                  ///< t_sol_ns over the time of these instances
  double covered = 0;            ///< share of the row's time that these instances take
  Limit limit = Limit::kMemory;  ///< of most of t_sol_ns
  /// All that they move fits into the L2 cache, so that memory need not limit them: s may then be
  /// above 1.
  bool fits_cache = false;
};

/// A shape that occurs in a trace: what was computed, on what, how often and how long.
struct TraceShape {
  std::string op;             ///< as the framework calls it: "aten::mm"
  std::string operator_name;  ///< of the catalogue, or a generic one
  ShapeParameters parameters;
  std::string label;                ///< in words: "32x4096 by 4096x14336, bf16"
  std::vector<std::uint32_t> rows;  ///< of the kernel table, by descending time; several where a
                                    ///< call launches a group, or not always the same kernel
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t med_ns = 0;  ///< of a call
  double t_sol_ns = 0;      ///< of a call
  Limit limit = Limit::kMemory;
  bool fits_cache = false;  ///< as in KernelBound

  double s() const;
};

/// Where time could be won: what the whole run would save if this ran at its bound.
struct Gain {
  std::string what;       ///< op and shape in words
  std::uint32_t row = 0;  ///< of the kernel table
  double s = 0;
  double share = 0;  ///< of all GPU time
  std::int64_t saved_ns = 0;
  double saved_share = 0;  ///< of all GPU time
};

struct KernelBounds {
  const HardwareProfile* hardware =
      nullptr;  ///< null: no machine is known, and nothing else either
  std::vector<std::optional<KernelBound>> rows;  ///< by row of the kernel table
  std::vector<TraceShape> shapes;                ///< by descending total_ns
  std::vector<std::uint32_t> shape_of;  ///< by kernel of the report: index of `shapes` or kNoRow
  /// What no call gets below: the machine's launch floor or, where that is not known, the shortest
  /// kernel of the report.
  double floor_ns = 0;
  std::vector<Gain> gains;           ///< by descending saved_ns
  double coverage = 0;               ///< share of GPU time with a bound
  std::optional<double> s;           ///< of all kernels with a bound together
  std::vector<std::string> reasons;  ///< why the rest has none and what to record to know it
};

/// The machine that a run was recorded on; null where its name is not known.
const HardwareProfile* hardware_of_run(const Run& run);

/// What a shape would save at a share `s` of its bound, if no call can take less than `floor_ns`.
std::int64_t saved_ns(const TraceShape& shape, double s, double floor_ns);

/// Bounds of the kernels of a report made from `run`. `hardware` is null for "that of the device
/// which the run names".
KernelBounds bound_kernels(const Run& run, const KernelReport& report,
                           const HardwareProfile* hardware);

}  // namespace tactus
