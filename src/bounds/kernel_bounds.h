#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bounds/ops/op_shape.h"
#include "bounds/roofline/speed_of_light.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"
#include "kernels/kernel_report.h"

namespace tactus {

/// How far the kernels of one row are from the machine's limit.
struct KernelBound {
  double t_sol_ns = 0;           ///< sum of the bounds of the instances whose shape is known
  double s = 0;                  ///< t_sol_ns over the time of these instances
  double covered = 0;            ///< share of the row's time that these instances take
  Limit limit = Limit::kMemory;  ///< of most of t_sol_ns
  /// Everything that they move fits into the L2 cache, so memory need not limit them: s may then be
  /// above 1.
  bool fits_cache = false;
  /// Most of the time has a bound that counts only what is certain; the work may be much more.
  bool at_least = false;
  ShapeEvidence evidence =
      ShapeEvidence::kShapes;  ///< how the shapes of most of the time are known
};

/// A shape that occurs in a trace: what was computed, with which inputs, how often and how long.
struct TraceShape {
  std::string op;             ///< the framework's name: "aten::mm"
  std::string operator_name;  ///< of the catalogue, or a generic one
  ShapeParameters parameters;
  std::string label;                ///< in words: "32x4096 by 4096x14336, bf16"
  std::vector<std::uint32_t> rows;  ///< of the kernel table, by descending time; several where a
                                    ///< call launches a group, or not always the same kernel
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t med_ns = 0;  ///< per call
  double t_sol_ns = 0;      ///< per call
  Limit limit = Limit::kMemory;
  bool fits_cache = false;  ///< as in KernelBound
  bool at_least = false;    ///< as in OpShape
  ShapeEvidence evidence = ShapeEvidence::kShapes;

  double s() const;
};

/// A possible gain: what the whole run would save if this ran at its bound.
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
      nullptr;  ///< null: the machine is unknown, and so is everything else
  std::vector<std::optional<KernelBound>> rows;  ///< by row of the kernel table
  std::vector<TraceShape> shapes;                ///< by descending total_ns
  std::vector<std::uint32_t> shape_of;  ///< by kernel of the report: index of `shapes` or kNoRow
  /// The least time of a call: the machine's launch floor or, if unknown, the shortest kernel of
  /// the report.
  double floor_ns = 0;
  std::vector<Gain> gains;           ///< by descending saved_ns
  double coverage = 0;               ///< share of GPU time with a bound
  double at_least = 0;               ///< of that, share whose bound counts only what is certain
  std::optional<double> s;           ///< of all other kernels with a bound together
  std::vector<std::string> reasons;  ///< why the rest has none and what to record to know it
};

/// The machine of a run; null if its name is unknown.
const HardwareProfile* hardware_of_run(const Run& run);

/// What a shape would save at a share `s` of its bound; no call takes less than `floor_ns`.
std::int64_t saved_ns(const TraceShape& shape, double s, double floor_ns);

/// Bounds of the kernels of a report made from `run`. `hardware` is null for the device that the
/// run names.
KernelBounds bound_kernels(const Run& run, const KernelReport& report,
                           const HardwareProfile* hardware);

}  // namespace tactus
