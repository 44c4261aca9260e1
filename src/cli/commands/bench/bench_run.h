#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "bench/bench.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"
#include "tactus/operator.h"

namespace tactus::cli {

/// The task of `tactus bench`.
struct BenchRequest {
  BenchQuestion question;
  tactus_device device = TACTUS_CPU;
  int ordinal = 0;
  std::string candidate;                      ///< empty: our own for the device
  std::string rival;                          ///< empty: none
  const HardwareProfile* hardware = nullptr;  ///< for the bounds; null: the device's own
  bool fresh = false;                         ///< measures the host, even if it was measured before
  bool quick = false;
  bool check_only = false;
  double seconds = 0.5;      ///< time budget per shape
  double limit_seconds = 0;  ///< time budget for everything; 0: none
  unsigned threads = 1;
  std::string output;  ///< finished rows are saved here, and rows in it are not run again
  bool no_samples = false;
};

struct MeasuredBench {
  BenchResult result;
  /// The machine of the bounds; nothing if none was needed.
  std::optional<HardwareProfile> hardware;
  std::string warning;  ///< empty if there is none
  /// Operators that were asked for and that the candidate does not have; with the first, what it
  /// said.
  std::vector<std::string> lacking;
  std::string lacking_reason;
  std::size_t asked_operators = 0;
};

Result<MeasuredBench> run_bench(const BenchRequest& request, const Catalogue& catalogue,
                                Progress& progress);

/// Bounds rows of the catalogue's shapes by another profile: all, or those that are meant. The
/// score is left to the caller.
void bound_by(const HardwareProfile& hardware, const Catalogue& catalogue, BenchResult& result,
              const std::function<bool(const BenchRow&)>& which = {});

/// The result as a file has it.
std::string result_file_text(const BenchResult& result, bool no_samples);

}  // namespace tactus::cli
