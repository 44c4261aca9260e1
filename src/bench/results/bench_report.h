#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/timing/timing.h"
#include "bounds/roofline/roofline.h"
#include "catalogue/catalogue.h"

namespace tactus {

/// One shape: the candidate's result and the fastest rival.
struct ReportRow {
  const BenchRow* row = nullptr;
  const Operator* op = nullptr;  ///< null if the catalogue has no such shape; then `shape` is null
                                 ///< too
  const Shape* shape = nullptr;
  std::optional<std::size_t> place;  ///< in the rooflines, if its cost is known
  std::optional<double> t_ns;        ///< of the candidate, if it is right
  std::optional<double> t_sol_ns;
  std::optional<double> s;
  std::optional<RivalTime> rival;
  std::optional<double> rival_s;
  std::optional<double> s_with_launch;  ///< the bound is at least the time of an empty kernel
  std::optional<double> rival_s_with_launch;
  std::optional<Outcome> outcome;  ///< the candidate against the rival, if both have a time

  /// The rival's time divided by the candidate's.
  std::optional<double> ratio() const;
  /// The time of a plain copy of as many bytes, divided by the candidate's.
  std::optional<double> of_copy() const;
};

/// An operator, a family of operators, or all.
struct ReportGroup {
  std::string name;
  double importance = 0;          ///< 0 if unknown, or for all
  std::size_t family = 0;         ///< in kOperatorFamilies; of an operator
  std::vector<std::size_t> rows;  ///< of the report
  std::size_t right = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::optional<double> median_s;  ///< upper median; failed shapes count as 0, skipped ones not
  std::optional<double> rival_median_s;
  std::optional<double> median_s_with_launch;
  std::optional<double> rival_median_s_with_launch;
  std::optional<double> median_of_copy;  ///< a copy's time over the candidate's, in the same way
  std::optional<double> ratio;           ///< geometric mean of rival over candidate
  std::size_t both = 0;                  ///< shapes with both times
  std::size_t faster = 0;                ///< of these, the candidate is clearly faster
  std::size_t slower = 0;                ///< clearly slower; the rest is about the same
  std::string usual_rival;               ///< the one that is most often the fastest
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
  std::optional<double> launch_floor_ns;  ///< median over the rows
  Roofline candidate_roofline;            ///< shapes of the report at the candidate's times, strict
  Roofline rival_roofline;                ///< the same at the fastest rival's times
};

/// If several candidates ran a shape, the fastest correct one counts. All arguments must outlive
/// the report.
BenchReport make_bench_report(const BenchResult& result, const Catalogue& catalogue,
                              const HardwareProfile& hardware);

/// The hardware profile of a result's bounds; for a machine that was measured, the facts in the
/// result.
HardwareProfile hardware_of_result(const BenchResult& result);

}  // namespace tactus
