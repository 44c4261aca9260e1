#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bounds/kernel_bounds.h"
#include "catalogue/catalogue.h"

namespace tactus {

/// A shape on one machine, over all runs there.
struct MinedTime {
  const HardwareProfile* hardware = nullptr;
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  double med_ns = 0;    ///< per call: the median of the runs' medians, weighted by calls
  double t_sol_ns = 0;  ///< per call
  Limit limit = Limit::kMemory;

  double s() const;
};

struct MinedShape {
  TraceShape shape;        ///< from the first run that has it
  double share = 0;        ///< of GPU time with a known shape, mean over the runs
  std::string phase;       ///< as Shape::phase
  std::int64_t calls = 0;  ///< in all runs
  std::vector<MinedTime> times;
};

struct MinedOperator {
  std::string name;  ///< of the catalogue, or a generic one
  double share = 0;  ///< sum over its shapes
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t runs = 0;           ///< number of runs in which it occurs
  std::optional<double> s;         ///< sum of bounds over sum of times, over all runs
  std::vector<MinedShape> shapes;  ///< by descending share
};

/// One run's part, kept for what-if.
struct MinedRun {
  std::string label;
  const HardwareProfile* hardware = nullptr;
  std::int64_t total_ns = 0;  ///< of all kernels
  double coverage = 0;        ///< share of that with a bound
  double floor_ns = 0;        ///< as in KernelBounds
  std::vector<TraceShape> shapes;
  std::vector<std::string> reasons;
};

/// Operators, shapes and times of the runs that were given.
struct Mined {
  std::vector<MinedRun> runs;
  std::vector<MinedOperator> operators;  ///< by descending share
  std::string method;                    ///< how importance was computed, in a sentence
};

/// Takes runs one by one, so that only one is in memory at a time.
class Miner {
 public:
  /// `label` names the run, `report` says the phases of its kernels. An error where nothing can be
  /// learned from it, saying what to give.
  Status add(const Run& run, const KernelReport& report, const HardwareProfile* hardware,
             const std::string& label);

  Mined finish();

 private:
  struct PhaseTimes {
    double prefill = 0, decode = 0, other = 0;
  };

  std::vector<MinedRun> runs_;
  std::vector<std::vector<PhaseTimes>> phases_;  ///< by run and shape
};

/// In the form that `read_catalogue` reads. The times are those of the mined runs. What bench can
/// compute has the name and the parameters of that operator.
Catalogue mined_catalogue(const Mined& mined);

/// "What if this operator ran at that share of its bound?"
struct WhatIf {
  std::string operator_name;
  double s = 0;
};
struct WhatIfAnswer {
  WhatIf question;
  double share = 0;           ///< of all GPU time, taken by the operator now; mean over the runs
  std::optional<double> now;  ///< its S now
  double saved = 0;           ///< share of all GPU time, mean over the runs
};

/// Reads "gemm=0.9"; the operator must be a mined one.
Result<WhatIf> read_what_if(std::string_view text, const Mined& mined);
WhatIfAnswer answer(const WhatIf& question, const Mined& mined);

}  // namespace tactus
