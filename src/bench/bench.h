#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "bench/candidate/candidate.h"
#include "bench/measure.h"
#include "bench/results/bench_row.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"

namespace tactus {

/// Which shapes to run; empty lists mean all.
struct BenchQuestion {
  std::vector<std::string> operators;
  std::vector<std::string> shapes;  ///< ids
  bool quick = false;               ///< one small shape of each operator
};

struct BenchTask {
  const Operator* op = nullptr;
  const Shape* shape = nullptr;
};

/// An unknown operator or shape is an error that names the nearest.
Result<std::vector<BenchTask>> plan_bench(const Catalogue& catalogue,
                                          const BenchQuestion& question);

/// How good a candidate is over the catalogue. Failed shapes count as 0, skipped ones do not count.
struct BenchScore {
  std::optional<double> weighted_s;  ///< importance-weighted mean of the operators' median S
  std::optional<double> weighted_s_with_launch;
  double covered_importance = 0;  ///< share of all importance that was run
};
BenchScore bench_score(const Catalogue& catalogue, std::span<const BenchRow> rows);

/// A machine, as a result names it.
struct BenchMachine {
  std::string name;             ///< "NVIDIA H200", or the CPU's model
  std::string profile;          ///< the profile of the bounds: "H200", "host"; empty: none
  std::string driver;           ///< and toolkit; empty if there is none
  std::string date;             ///< "2026-11-15"
  std::string card;             ///< which GPU of this name, as a short hash; empty: not known
  double memory_bandwidth = 0;  ///< [bytes/s] of the bounds; 0: unknown
};

/// False also if one of them is not known.
inline bool are_other_cards(const BenchMachine& a, const BenchMachine& b) {
  return !a.card.empty() && !b.card.empty() && a.card != b.card;
}

/// The whole result of a benchmark run.
struct BenchResult {
  BenchMachine machine;
  std::vector<BenchRow> rows;
  BenchScore score;
};

std::string bench_result_text(const BenchResult& result);
/// Reads the text of bench_result_text; `path` is for messages.
Result<BenchResult> read_bench_result(std::string_view text, std::string_view path);

}  // namespace tactus
