#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "classic/classic_pairing.h"
#include "cli/command.h"
#include "compare/runs/compared_run.h"
#include "compare/thresholds.h"

namespace tactus::cli {

/// A pair of opened recordings: traces or patterns. Pointers into it stay valid.
class ComparedRuns {
 public:
  explicit ComparedRuns(const CommonOptions& common) : common_(common) {}

  /// The files of the normal and the abnormal side. A side is one trace, or files of patterns.
  Status open(const std::array<std::vector<std::string>, 2>& files);
  /// Finds cycles, for traces, and sums up both sides. `pids` keeps only one process of each.
  /// The first `warmup` cycles of each process of a trace are left out.
  Status prepare(const std::array<std::optional<std::int64_t>, 2>& pids, std::size_t warmup,
                 const Thresholds& thresholds);

  const ComparedRun& side(std::size_t which) const { return sides_[which]; }
  const Run& run(std::size_t which) const { return *runs_[which].front(); }
  /// The patterns of both, for the classic report: read from files, or made from traces.
  std::vector<PatternFile> pattern_files(std::size_t which) const;
  /// Columns are read at their first use; errors then show here.
  Status status() const;

 private:
  Status prepare_traces(std::size_t warmup, const Thresholds& thresholds);

  const CommonOptions& common_;
  std::array<std::vector<std::string>, 2> paths_;
  std::array<std::vector<std::unique_ptr<Run>>, 2> runs_;
  std::array<std::unique_ptr<Run>, 2> made_;  ///< patterns of traces
  std::array<ComparedRun, 2> sides_;
};

}  // namespace tactus::cli
