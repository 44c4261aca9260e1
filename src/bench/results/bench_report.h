#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/timing/timing.h"
#include "bounds/roofline/roofline.h"
#include "catalogue/catalogue.h"

namespace tactus {

/// One shape: what the candidate makes of it, and the fastest rival.
struct ReportRow {
  const BenchRow* row = nullptr;
  const Operator* op = nullptr;  ///< null where the catalogue has no such shape, as is `shape`
  const Shape* shape = nullptr;
  std::optional<std::size_t> place;  ///< in the rooflines, where its cost can be told
  std::optional<double> t_ns;        ///< of the candidate, where it is right
  std::optional<double> t_sol_ns;
  std::optional<double> s;
  std::optional<RivalTime> rival;
  std::optional<double> rival_s;
  std::optional<double> s_with_launch;  ///< the bound not below what an empty kernel takes
  std::optional<double> rival_s_with_launch;
  std::optional<Outcome> outcome;  ///< the candidate against the rival, where both have a time

  /// How many times longer the rival takes.
  std::optional<double> ratio() const;
  /// The time of a plain copy of as many bytes over the candidate's.
  std::optional<double> of_copy() const;
};

/// An operator, a family of operators, or everything.
struct ReportGroup {
  std::string name;
  double importance = 0;          ///< 0 where it is not known, or of everything
  std::size_t family = 0;         ///< in kOperatorFamilies; of an operator
  std::vector<std::size_t> rows;  ///< of the report
  std::size_t right = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::optional<double> median_s;  ///< upper median; failed shapes count as 0, skipped ones not
  std::optional<double> rival_median_s;
  std::optional<double> median_s_with_launch;
  std::optional<double> rival_median_s_with_launch;
  std::optional<double> median_of_copy;  ///< a copy's time over the candidate's, likewise
  std::optional<double> ratio;           ///< geometric mean of rival over candidate
  std::size_t both = 0;                  ///< shapes with both times
  std::size_t faster = 0;                ///< of these the candidate is clearly faster
  std::size_t slower = 0;                ///< clearly slower; the rest cannot be told apart
  std::string usual_rival;               ///< the one that is the fastest rival most often
};

struct BenchReport {
  const BenchResult* result = nullptr;
  std::string candidates;              ///< "cuda", or "cuda, mine.cu"
  std::vector<ReportRow> rows;         ///< by operator, as the catalogue has them, and id
  std::vector<ReportGroup> operators;  ///< by descending importance
  std::vector<ReportGroup> families;   ///< those that occur
  ReportGroup total;
  bool has_rivals = false;
  bool has_copies = false;                ///< shapes were compared with a plain copy
  std::optional<double> launch_floor_ns;  ///< median of those that rows were timed with
  Roofline candidate_roofline;            ///< shapes of the report at the candidate's times, strict
  Roofline rival_roofline;                ///< the same at the fastest rival's times
};

/// Where several candidates ran a shape, the fastest right one counts. All that is given must
/// outlive the report.
BenchReport make_bench_report(const BenchResult& result, const Catalogue& catalogue,
                              const HardwareProfile& hardware);

/// The profile that a result's bounds are of; for a machine that was measured on the spot, what the
/// result says about it.
HardwareProfile hardware_of_result(const BenchResult& result);

}  // namespace tactus
