#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "classic/classic_pairing.h"
#include "cli/command.h"
#include "explain/prepare_sides.h"
#include "explain/verdict.h"

namespace tactus::cli {

/// What a comparison is asked.
struct CompareQuestion {
  std::array<std::optional<std::int64_t>, 2> pids;  ///< only this process of each side
  std::optional<std::int64_t> rank;                 ///< only this rank of both sides
  WantedSteps steps;                                ///< of a trace
};

/// The opened recordings of both sides: traces or patterns. Pointers into it stay valid.
class ComparedRuns {
 public:
  explicit ComparedRuns(const CommonOptions& common) : common_(common) {}

  /// The files of the normal and the abnormal side. Each trace is a recording; files of patterns
  /// are the processes of one.
  Status open(const std::array<std::vector<std::string>, 2>& files,
              const std::vector<std::string>& counters);
  /// Finds cycles, for traces, and measures both sides.
  Status prepare(const CompareQuestion& question);

  ComparedSide& side(std::size_t which) { return sides_[which]; }
  /// Files of patterns, not traces.
  bool are_patterns() const { return cycles_[0].empty(); }
  const Run& run(std::size_t which) const { return *runs_[which].front(); }
  /// The patterns of both, for the classic report: read from files, or made from traces.
  std::vector<PatternFile> pattern_files(std::size_t which) const;
  /// Columns are read at their first use; errors then show here.
  Status status() const;

 private:
  Status all_have_steps() const;
  Status all_differ(std::size_t which) const;
  /// Leaves the steps of the ranks and processes that are asked about; an error if there are none.
  Status keep_wanted(const CompareQuestion& question, std::size_t which);

  const CommonOptions& common_;
  std::array<std::vector<std::string>, 2> paths_;
  std::array<std::vector<std::unique_ptr<Run>>, 2> runs_;
  std::array<std::vector<std::unique_ptr<Cycles>>, 2> cycles_;  ///< of traces
  mutable std::array<std::unique_ptr<Run>, 2>
      made_;  ///< patterns of the first traces, when asked for
  std::array<ComparedSide, 2> sides_;
};

}  // namespace tactus::cli
