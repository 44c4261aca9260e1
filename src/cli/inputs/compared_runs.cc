#include "cli/inputs/compared_runs.h"

#include <algorithm>
#include <filesystem>

#include "base/parallel.h"
#include "cli/inputs/open_run.h"
#include "compare/patterns/patterns.h"
#include "compare/runs/regroup.h"
#include "cycles/cycle_selection.h"
#include "cycles/cycles.h"

namespace tactus::cli {

namespace {

/// The size of both sides together, on disk. Reading this much takes less than about a third of a
/// second and shows no progress, so both sides can be read at the same time.
constexpr std::uintmax_t kLargestAtOnce = 16 << 20;  // [bytes]

/// Also false for inputs without a size: a folder, a pipe, standard input.
bool can_be_read_at_once(const std::array<std::vector<std::string>, 2>& files) {
  std::uintmax_t bytes = 0;
  for (const std::vector<std::string>& side : files) {
    for (const std::string& path : side) {
      std::error_code error;
      const std::uintmax_t size = std::filesystem::file_size(path, error);
      if (error || size > kLargestAtOnce) return false;
      bytes += size;
    }
  }
  return bytes <= kLargestAtOnce;
}

}  // namespace

Status ComparedRuns::open(const std::array<std::vector<std::string>, 2>& files) {
  paths_ = files;
  const unsigned threads = thread_count(common_);
  const bool at_once = threads > 1 && can_be_read_at_once(files);
  std::array<std::vector<Result<Run>>, 2> read;
  if (at_once) {
    const CommonOptions each{.quiet = true, .threads = threads / 2};
    parallel_for(2, 2, [&](std::size_t which, unsigned) {
      for (const std::string& path : files[which]) {
        read[which].push_back(open_for_reading(path, each));
        if (!read[which].back()) break;
      }
    });
  }
  for (std::size_t which = 0; which < 2; ++which) {
    for (std::size_t i = 0; i < files[which].size(); ++i) {
      const std::string& path = files[which][i];
      Result<Run> run = at_once ? std::move(read[which][i]) : open_for_reading(path, common_);
      if (!run) return run.error();
      if (at_once) print_warnings(*run, common_);
      if (run->slices.empty() && run->patterns.rows == 0) {
        return usage_error(path +
                           ": holds neither slices nor patterns of cycles; give a trace or "
                           "a *_perf_data.csv" +
                           (run->kernel_summary ? " (tactus kernels A B compares tables)" : ""));
      }
      runs_[which].push_back(std::make_unique<Run>(std::move(*run)));
    }
  }
  return {};
}

Status ComparedRuns::prepare(const std::array<std::optional<std::int64_t>, 2>& pids,
                             std::size_t warmup, const Thresholds& thresholds) {
  const bool traces[2] = {!runs_[0].front()->slices.empty(), !runs_[1].front()->slices.empty()};
  if (traces[0] != traces[1]) {
    return usage_error(
        paths_[traces[0] ? 1 : 0].front() +
        ": is patterns and the other is a trace; give two of a kind (tactus patterns "
        "makes patterns of a trace)");
  }
  if (traces[0]) {
    if (Status status = prepare_traces(warmup, thresholds); !status) return status;
  } else {
    parallel_for(thread_count(common_), 2, [&](std::size_t which, unsigned) {
      for (const auto& run : runs_[which]) add_side(compared_patterns(*run), sides_[which]);
    });
  }
  for (std::size_t which = 0; which < 2; ++which) {
    if (!pids[which]) continue;
    std::erase_if(sides_[which].processes,
                  [&](const ProcessCost& process) { return process.pid != *pids[which]; });
    if (sides_[which].processes.empty()) {
      return usage_error(paths_[which].front() + ": has no process " +
                         std::to_string(*pids[which]));
    }
  }
  return status();
}

Status ComparedRuns::prepare_traces(std::size_t warmup, const Thresholds& thresholds) {
  Result<std::pair<Cycles, Cycles>> cycles =
      cycles_to_compare(*runs_[0].front(), *runs_[1].front(), thresholds);
  if (!cycles) return cycles.error();
  skip_warmup(warmup, cycles->first);
  skip_warmup(warmup, cycles->second);
  const Cycles* of_side[2] = {&cycles->first, &cycles->second};
  for (std::size_t which = 0; which < 2; ++which) {
    const Run& run = *runs_[which].front();
    made_[which] = std::make_unique<Run>(run_of_patterns(run, *of_side[which]));
    sides_[which] = compared_trace(run, *of_side[which], *made_[which]);
  }
  return {};
}

std::vector<PatternFile> ComparedRuns::pattern_files(std::size_t which) const {
  std::vector<PatternFile> files;
  for (std::size_t i = 0; i < runs_[which].size(); ++i) {
    files.push_back({paths_[which][i], made_[which] ? made_[which].get() : runs_[which][i].get()});
  }
  return files;
}

Status ComparedRuns::status() const {
  for (const auto& side : runs_) {
    for (const auto& run : side) {
      if (Status status = run->status(); !status) return status;
    }
  }
  return {};
}

}  // namespace tactus::cli
