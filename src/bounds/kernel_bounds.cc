#include "bounds/kernel_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/arithmetic.h"
#include "bounds/mining/unbounded_time.h"
#include "bounds/ops/op_executions.h"
#include "bounds/ops/op_shape_index.h"
#include "cycles/phases/annotated_phases.h"
#include "launches/captured_launches.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// Beyond the noise of a clock: the assumed bound does not hold for kernels this fast.
constexpr double kTooFast = 1.03;

/// A smaller share of the time is not mentioned.
constexpr double kMentionedShare = 0.0005;

/// Longer than any recording; larger doubles do not fit 64 bits.
constexpr double kLongestNs = 9e18;

struct RowSums {
  std::array<double, kLimits> sol_ns = {};  ///< by Limit
  std::int64_t bounded_ns = 0;
  bool fits_cache = true;
  std::int64_t at_least_ns = 0;
  std::array<std::int64_t, 3> evidence_ns = {};  ///< by ShapeEvidence
};

struct ShapeSums {
  std::vector<std::int64_t> call_ns;
  std::vector<std::pair<std::uint32_t, std::int64_t>> row_ns;  ///< few rows, so a list is enough
};

void add_to_row(ShapeSums& sums, std::uint32_t row, std::int64_t ns) {
  for (auto& [known, time] : sums.row_ns) {
    if (known != row) continue;
    time = wrapping_add(time, ns);
    return;
  }
  sums.row_ns.emplace_back(row, ns);
}

/// Of all shapes together whose whole work is known; nothing where there are none.
std::optional<double> overall_s(std::span<const TraceShape> shapes) {
  double sol_ns = 0;
  double total_ns = 0;
  for (const TraceShape& shape : shapes) {
    if (shape.at_least) continue;
    sol_ns += shape.t_sol_ns * static_cast<double>(shape.calls);
    total_ns += static_cast<double>(shape.total_ns);
  }
  if (total_ns <= 0) return std::nullopt;
  return sol_ns / total_ns;
}

/// Goes over the executions of ops and shares their bounds out.
class Bounding {
 public:
  Bounding(const Run& run, const KernelReport& report, const HardwareProfile& hardware)
      : run_(run), report_(report), hardware_(hardware), row_sums_(report.table.rows.size()) {}

  KernelBounds run() {
    const OpExecutions executions(report_.sites);
    OpShapeIndex index(run_, executions.ops(), hardware_);
    const std::vector<Timed> timed = find_shapes(executions, index);
    const std::vector<std::uint32_t> taken = possible_shapes(timed, index);
    std::vector<std::uint32_t> shape_of(report_.kernels.size(), kNoRow);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      if (taken[i] == kNoRow) continue;
      add(executions.all()[i], timed[i].total_ns, taken[i], index, shape_of);
    }
    for (std::size_t i = 0; i < report_.sites.size(); ++i) {
      if (report_.sites[i].op == kNoRow) {
        unbounded_.add(why_no_op(report_.sites[i]), {}, report_.kernels.durs[i]);
      }
    }
    return result(index.shapes(), std::move(shape_of));
  }

 private:
  /// An execution, its time, and its shape or kNoRow.
  struct Timed {
    std::int64_t total_ns = 0;
    std::uint32_t shape = kNoRow;
    std::uint32_t kernel = 0;  ///< StringId of its longest kernel
  };

  std::vector<Timed> find_shapes(const OpExecutions& executions, OpShapeIndex& index) {
    const KernelInstances& kernels = report_.kernels;
    const std::vector<std::uint32_t> steps = length_annotations(run_, kernels.rows);
    std::vector<Timed> timed;
    timed.reserve(executions.all().size());
    std::size_t place = 0;
    for (const OpExecution& execution : executions.all()) {
      while (executions.ops()[place] != execution.op) ++place;
      std::int64_t total_ns = 0;
      std::uint32_t longest = execution.kernels.front();
      for (const std::uint32_t i : execution.kernels) {
        total_ns = wrapping_add(total_ns, kernels.durs[i]);
        if (kernels.durs[i] > kernels.durs[longest]) longest = i;
      }
      std::string_view why;
      const std::optional<std::uint32_t> shape =
          index.find(place, kernels.names[longest], name_of(longest), steps[longest], why);
      if (!shape) unbounded_.add(why, text_at(execution.op), total_ns);
      timed.push_back({total_ns, shape.value_or(kNoRow), kernels.names[longest]});
    }
    return timed;
  }

  /// By execution: its shape, or what remains certain of it if its time shows that it did less. A
  /// kernel that often does less than its shape is taken to do so in all calls.
  static std::vector<std::uint32_t> possible_shapes(std::span<const Timed> timed,
                                                    OpShapeIndex& index) {
    constexpr std::int64_t kOften = 4;  // one call of four
    const auto is_faster = [&](const Timed& call) {
      return static_cast<double>(call.total_ns) < index.shapes()[call.shape].bound.t_ns;
    };
    struct Calls {
      std::int64_t all = 0;
      std::int64_t faster = 0;
    };
    std::unordered_map<std::uint32_t, Calls> of_kernel;
    for (const Timed& call : timed) {
      if (call.shape == kNoRow || !index.shapes()[call.shape].if_faster) continue;
      Calls& calls = of_kernel[call.kernel];
      ++calls.all;
      calls.faster += is_faster(call) ? 1 : 0;
    }
    std::vector<std::uint32_t> taken;
    taken.reserve(timed.size());
    for (const Timed& call : timed) {
      taken.push_back(call.shape);
      if (call.shape == kNoRow || !index.shapes()[call.shape].if_faster) continue;
      const Calls& calls = of_kernel[call.kernel];
      if (is_faster(call) || calls.faster * kOften > calls.all) {
        taken.back() = *index.shapes()[call.shape].if_faster;
      }
    }
    return taken;
  }

  void add(const OpExecution& execution, std::int64_t total_ns, std::uint32_t shape,
           OpShapeIndex& index, std::vector<std::uint32_t>& shape_of) {
    const KernelInstances& kernels = report_.kernels;
    if (shape_sums_.size() <= shape) shape_sums_.resize(shape + 1);
    ShapeSums& sums = shape_sums_[shape];
    sums.call_ns.push_back(total_ns);
    const BoundShape& bounded = index.shapes()[shape];
    for (const std::uint32_t i : execution.kernels) {
      const std::uint32_t row = row_of(i);
      const double part = total_ns > 0
                              ? static_cast<double>(kernels.durs[i]) / static_cast<double>(total_ns)
                              : 1.0 / static_cast<double>(execution.kernels.size());
      RowSums& of_row = row_sums_[row];
      of_row.sol_ns[static_cast<std::size_t>(bounded.bound.limit)] += bounded.bound.t_ns * part;
      of_row.bounded_ns = wrapping_add(of_row.bounded_ns, kernels.durs[i]);
      of_row.fits_cache = of_row.fits_cache && fits_cache(bounded);
      std::int64_t& known_ns = of_row.evidence_ns[static_cast<std::size_t>(bounded.shape.evidence)];
      known_ns = wrapping_add(known_ns, kernels.durs[i]);
      if (bounded.shape.at_least) {
        of_row.at_least_ns = wrapping_add(of_row.at_least_ns, kernels.durs[i]);
      }
      shape_of[i] = shape;
      add_to_row(sums, row, kernels.durs[i]);
    }
  }

  /// The row of the table that a kernel of the report is in.
  std::uint32_t row_of(std::size_t kernel) const {
    return report_.row_of_name[report_.kernels.names[kernel]];
  }
  const KernelName& name_of(std::size_t kernel) const { return report_.names[row_of(kernel)]; }

  bool fits_cache(const BoundShape& shape) const {
    return hardware_.l2_size && shape.bytes <= hardware_.l2_size->value;
  }

  std::string_view text_at(std::uint32_t row) const {
    return run_.strings[StringId(static_cast<std::uint64_t>(run_.slices.name()[row]))];
  }

  std::string_view why_no_op(const LaunchSite& site) {
    if (site.call == kNoRow) return kNoLaunch;
    return is_graph_launch(text_at(site.call)) ? kReplayed : kNoOp;
  }

  KernelBounds result(std::vector<BoundShape>& shapes, std::vector<std::uint32_t> shape_of) {
    KernelBounds bounds;
    bounds.hardware = &hardware_;
    std::int64_t bounded_ns = 0;
    for (std::size_t row = 0; row < row_sums_.size(); ++row) {
      bounds.rows.push_back(row_bound(row));
      bounded_ns = wrapping_add(bounded_ns, row_sums_[row].bounded_ns);
    }
    const std::int64_t total_ns = report_.table.total_ns;
    if (total_ns > 0) {
      bounds.coverage = static_cast<double>(bounded_ns) / static_cast<double>(total_ns);
    }
    bounds.reasons = unbounded_.sentences(total_ns);
    bounds.floor_ns = floor_ns();
    add_shapes(bounds, shapes, std::move(shape_of));
    bounds.s = overall_s(bounds.shapes);
    add_gains(bounds);
    return bounds;
  }

  double floor_ns() const {
    if (hardware_.launch_floor_ns) return hardware_.launch_floor_ns->value;
    std::int64_t shortest = 0;
    for (const std::int64_t ns : report_.kernels.durs) {
      if (ns > 0 && (shortest == 0 || ns < shortest)) shortest = ns;
    }
    return static_cast<double>(shortest);
  }

  std::optional<KernelBound> row_bound(std::size_t row) const {
    const RowSums& sums = row_sums_[row];
    const std::int64_t row_ns = report_.table.rows[row].total_ns;
    if (sums.bounded_ns <= 0 || row_ns <= 0) return std::nullopt;
    KernelBound bound;
    for (const double sol_ns : sums.sol_ns) bound.t_sol_ns += sol_ns;
    bound.s = bound.t_sol_ns / static_cast<double>(sums.bounded_ns);
    bound.covered = static_cast<double>(sums.bounded_ns) / static_cast<double>(row_ns);
    const auto most = std::max_element(sums.sol_ns.begin(), sums.sol_ns.end());
    bound.limit = static_cast<Limit>(most - sums.sol_ns.begin());
    bound.fits_cache = sums.fits_cache;
    bound.at_least = sums.at_least_ns > sums.bounded_ns / 2;
    const auto known = std::max_element(sums.evidence_ns.begin(), sums.evidence_ns.end());
    bound.evidence = static_cast<ShapeEvidence>(known - sums.evidence_ns.begin());
    return bound;
  }

  void add_shapes(KernelBounds& bounds, std::vector<BoundShape>& shapes,
                  std::vector<std::uint32_t> shape_of) {
    shape_sums_.resize(shapes.size());
    std::vector<std::uint32_t> order;
    std::vector<std::int64_t> totals(shapes.size(), 0);
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
      for (const std::int64_t ns : shape_sums_[i].call_ns) totals[i] = wrapping_add(totals[i], ns);
      if (!shape_sums_[i].call_ns.empty()) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return totals[a] > totals[b]; });
    std::vector<std::uint32_t> new_place(shapes.size(), kNoRow);
    for (const std::uint32_t i : order) {
      new_place[i] = static_cast<std::uint32_t>(bounds.shapes.size());
      bounds.shapes.push_back(trace_shape(shapes[i], shape_sums_[i]));
    }
    for (std::uint32_t& shape : shape_of) shape = shape == kNoRow ? kNoRow : new_place[shape];
    bounds.shape_of = std::move(shape_of);
  }

  TraceShape trace_shape(BoundShape& bounded, ShapeSums& sums) const {
    TraceShape shape;
    shape.fits_cache = fits_cache(bounded);
    shape.at_least = bounded.shape.at_least;
    shape.evidence = bounded.shape.evidence;
    shape.op = std::move(bounded.op);
    shape.operator_name = std::move(bounded.shape.operator_name);
    shape.parameters = std::move(bounded.shape.parameters);
    shape.label = std::move(bounded.shape.label);
    std::stable_sort(sums.row_ns.begin(), sums.row_ns.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [row, ns] : sums.row_ns) shape.rows.push_back(row);
    const DurationSummary times = summarise(sums.call_ns);
    shape.calls = times.count;
    shape.total_ns = times.total_ns;
    shape.med_ns = times.med_ns;
    shape.t_sol_ns = bounded.bound.t_ns;
    shape.limit = bounded.bound.limit;
    return shape;
  }

  void add_gains(KernelBounds& bounds) const {
    const auto total = static_cast<double>(report_.table.total_ns);
    const std::string foreign = recorded_elsewhere();
    if (!foreign.empty()) bounds.reasons.push_back(foreign);
    double at_least_ns = 0;
    for (const TraceShape& shape : bounds.shapes) {
      // Nobody knows how near to its bound such a call could come.
      if (shape.at_least) {
        at_least_ns += static_cast<double>(shape.total_ns);
        continue;
      }
      const std::int64_t saved = saved_ns(shape, 1, bounds.floor_ns);
      if (shape.s() > kTooFast && !shape.fits_cache && foreign.empty()) {
        bounds.reasons.push_back(too_fast(shape));
      }
      if (saved <= 0 || total <= 0) continue;
      bounds.gains.push_back({.what = fmt::format("{} ({})", shape.op, shape.label),
                              .row = shape.rows.front(),
                              .s = shape.s(),
                              .share = static_cast<double>(shape.total_ns) / total,
                              .saved_ns = saved,
                              .saved_share = static_cast<double>(saved) / total});
    }
    bounds.at_least = total > 0 ? at_least_ns / total : 0;
    if (bounds.at_least > kMentionedShare) {
      bounds.reasons.push_back(fmt::format(
          "{:.1f}% of the GPU time: the bound counts only what is certain, as the trace "
          "does not say which experts or how many keys were used",
          100 * bounds.at_least));
    }
    std::stable_sort(bounds.gains.begin(), bounds.gains.end(),
                     [](const Gain& a, const Gain& b) { return a.saved_ns > b.saved_ns; });
  }

  /// A sentence if the bounds belong to another machine than the recorded one.
  std::string recorded_elsewhere() const {
    const HardwareProfile* own = hardware_of_run(run_);
    if (own == nullptr || own->name == hardware_.name || names_a_device_of_run()) return {};
    return fmt::format("the bounds are those of {}, the times those of {}", hardware_.name,
                       own->name);
  }

  /// A measured profile has another name than the built-in one of the same device.
  bool names_a_device_of_run() const {
    return std::any_of(run_.devices.begin(), run_.devices.end(), [&](const Device& device) {
      const auto& names = hardware_.device_names;
      return std::find(names.begin(), names.end(), run_.strings[device.name]) != names.end();
    });
  }

  /// Either the bound is wrong, or the data came from the cache.
  std::string too_fast(const TraceShape& shape) const {
    if (hardware_.variant == "measured") {
      return fmt::format("{} ({}) is faster than the speed measured on {} (S = {:.2f})", shape.op,
                         shape.label, hardware_.name, shape.s());
    }
    return fmt::format("{} ({}) is faster than its bound (S = {:.2f}): {}", shape.op, shape.label,
                       shape.s(),
                       hardware_.l2_size || shape.limit == Limit::kCompute
                           ? "the bound is wrong, please report it"
                           : fmt::format("it may have found its inputs in the L2 cache, whose size "
                                         "the profile of {} does not give",
                                         hardware_.name));
  }

  const Run& run_;
  const KernelReport& report_;
  const HardwareProfile& hardware_;
  std::vector<RowSums> row_sums_;
  std::vector<ShapeSums> shape_sums_;
  UnboundedTime unbounded_;
};

KernelBounds nothing(const KernelReport& report, std::string why) {
  KernelBounds bounds;
  bounds.rows.resize(report.table.rows.size());
  bounds.shape_of.resize(report.kernels.size(), kNoRow);
  bounds.reasons.push_back(std::move(why));
  return bounds;
}

std::string no_hardware(const Run& run) {
  for (const Device& device : run.devices) {
    const std::string_view name = run.strings[device.name];
    if (name.empty()) continue;
    return fmt::format(
        "no figures are known for the device \"{}\"; give --hardware a known device, or a file "
        "with the figures of this one",
        name);
  }
  return "the run does not say which device it ran on; give --hardware";
}

}  // namespace

double TraceShape::s() const {
  return total_ns > 0 ? t_sol_ns * static_cast<double>(calls) / static_cast<double>(total_ns) : 0;
}

std::int64_t saved_ns(const TraceShape& shape, double s, double floor_ns) {
  if (!(s > 0)) return 0;
  const double call_ns = std::max(shape.t_sol_ns / s, floor_ns);
  const double saved =
      static_cast<double>(shape.total_ns) - call_ns * static_cast<double>(shape.calls);
  return saved > 0 ? static_cast<std::int64_t>(std::min(saved, kLongestNs)) : 0;
}

KernelBounds bound_kernels(const Run& run, const KernelReport& report,
                           const HardwareProfile* hardware) {
  if (run.kernel_summary) {
    return nothing(report,
                   "a table does not say what its kernels computed; a trace with "
                   "record_shapes=True does");
  }
  if (hardware == nullptr) hardware = hardware_of_run(run);
  if (hardware == nullptr) return nothing(report, no_hardware(run));
  return Bounding(run, report, *hardware).run();
}

}  // namespace tactus
