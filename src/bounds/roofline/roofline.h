#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bounds/costs/cost.h"
#include "bounds/roofline/baseline.h"
#include "bounds/roofline/speed_of_light.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"

namespace tactus {

/// A rough class of an operator, by its shapes' W / Q: above 10 FLOP per byte compute, below 0.01
/// indexing, else memory. (Not the limit on a machine; that is SpeedOfLight::limit.)
enum class Regime : char { kCompute = 'C', kMemory = 'M', kIndexing = 'I' };

/// One shape on one machine.
struct ShapeOnHardware {
  std::optional<SpeedOfLight> bound;
  std::optional<double> t_prod_ns;  ///< deployed, or from the given baseline
  std::string_view t_prod_by;       ///< whose time it is, for a baseline; empty for deployed ones
  std::optional<double> s;          ///< bound / t_prod
  std::optional<double> s_printed;  ///< from times rounded as the published page rounds them
  /// s with the launch floor in the bound: max(bound, floor) / t_prod; unknown if the floor is
  /// unknown.
  std::optional<double> s_with_launch;
};

struct RooflineRow {
  const Operator* op = nullptr;
  const Shape* shape = nullptr;
  Cost cost;
  double ai = 0;                    ///< FLOP per byte; 0 if nothing is moved
  std::vector<ShapeOnHardware> on;  ///< by hardware
};

struct OperatorSummary {
  const Operator* op = nullptr;
  Regime regime = Regime::kMemory;
  std::size_t first_row = 0;  ///< its rows are together, sorted by id
  std::size_t rows = 0;
  std::size_t middle_row = 0;  ///< the shape in the middle of the ids, which the published page
                               ///< prints
  std::vector<std::optional<double>> median_s;          ///< upper median, by hardware
  std::vector<std::optional<double>> median_s_printed;  ///< the same of s_printed
};

/// The least time of a launch on a machine.
struct LaunchFloor {
  double ns = 0;
  bool observed = false;  ///< the profile does not say: the least time of any shape there
};

/// How far the whole catalogue is from the bound on one machine. Shapes without a time are left
/// out.
struct Score {
  std::optional<double>
      weighted_s;  ///< sum of importance times median S over the importance covered
  std::optional<double> weighted_s_unnormalised;
  std::optional<double> weighted_s_with_launch;  ///< normalised, S with the launch floor
  double covered_importance = 0;                 ///< share of all importance that has a time
  std::size_t timed_shapes = 0;
};

struct Roofline {
  CostModel model = CostModel::kStrict;
  std::vector<const HardwareProfile*> hardware;
  std::vector<RooflineRow> rows;
  std::vector<OperatorSummary> operators;                 ///< in the catalogue's order
  std::vector<Score> scores;                              ///< by hardware
  std::vector<std::optional<LaunchFloor>> launch_floors;  ///< by hardware
  double importance_sum = 0;                              ///< of the whole catalogue
  std::size_t dropped_shapes = 0;  ///< shapes with unknown cost; warnings say why
  std::vector<std::string> warnings;
};

/// Which shapes to use; empty texts mean all.
struct RooflineQuestion {
  CostModel model = CostModel::kStrict;
  std::string operator_name;
  std::string shape_id;
  std::string framework;
  std::string phase;  ///< "prefill" or "decode"
  std::optional<std::int64_t> tensor_parallel;
};

/// An unknown operator, shape, framework or phase is an error that lists the known ones.
/// `catalogue`, `hardware` and `baselines` must outlive the result.
Result<Roofline> make_roofline(const Catalogue& catalogue,
                               std::span<const HardwareProfile* const> hardware,
                               std::span<const BaselineTime> baselines,
                               const RooflineQuestion& question);

/// A number rounded to decimals as the published page rounds it: the decimal nearest to the exact
/// value of the double, of two equally near the larger one.
double printed(double value, int decimals);

}  // namespace tactus
