#include "cli/inputs/compared_runs.h"

#include <algorithm>
#include <filesystem>

#include "base/parallel.h"
#include "cli/inputs/open_run.h"
#include "cli/terminal.h"
#include "cycles/cycle_selection.h"
#include "cycles/cycles.h"
#include "measure/counter_values.h"
#include "measure/regroup.h"
#include "patterns/patterns.h"

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

Status ComparedRuns::open(const std::array<std::vector<std::string>, 2>& files,
                          const std::vector<std::string>& counters) {
  paths_ = files;
  const auto counters_of = [&](std::size_t which) -> std::vector<std::string> {
    if (counters.empty()) return {};
    return {counters[counters.size() == 1 ? 0 : which]};
  };
  const unsigned threads = thread_count(common_);
  const bool at_once = threads > 1 && can_be_read_at_once(files);
  std::array<std::vector<Result<Run>>, 2> read;
  if (at_once) {
    const CommonOptions each{.quiet = true, .threads = threads / 2};
    parallel_for(2, 2, [&](std::size_t which, unsigned) {
      for (const std::string& path : files[which]) {
        read[which].push_back(open_for_reading(path, each, {}, {}, counters_of(which)));
        if (!read[which].back()) break;
      }
    });
  }
  for (std::size_t which = 0; which < 2; ++which) {
    for (std::size_t i = 0; i < files[which].size(); ++i) {
      const std::string& path = files[which][i];
      Result<Run> run = at_once ? std::move(read[which][i])
                                : open_for_reading(path, common_, {}, {}, counters_of(which));
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

Status ComparedRuns::prepare(const CompareQuestion& question) {
  for (const auto& side : runs_) {
    for (const auto& run : side) {
      if (run->slices.empty() == runs_[0].front()->slices.empty()) continue;
      return usage_error(
          "one of the runs is patterns and another is a trace; give runs of one kind (tactus "
          "patterns makes patterns of a trace)");
    }
  }
  if (runs_[0].front()->slices.empty()) {
    prepare_patterns();
  } else if (Status status = prepare_traces(question.warmup); !status) {
    return status;
  }
  for (std::size_t which = 0; which < 2; ++which) {
    if (!question.pids[which]) continue;
    bool any = false;
    for (const auto& recording : sides_[which].recordings) {
      keep_process(*question.pids[which], *recording);
      for (const RankMeasure& rank : recording->ranks) any = any || !rank.steps.empty();
    }
    if (!any) {
      return usage_error(paths_[which].front() + ": has no process " +
                         std::to_string(*question.pids[which]));
    }
  }
  return status();
}

void ComparedRuns::prepare_patterns() {
  parallel_for(thread_count(common_), 2, [&](std::size_t which, unsigned) {
    std::vector<std::unique_ptr<Measurement>> parts;
    for (const auto& run : runs_[which]) {
      parts.push_back(measure_patterns(*run));
      add_counters(pattern_counter_values(*run), sides_[which].counters);
    }
    sides_[which].recordings.push_back(join_ranks(std::move(parts)));
    split_collectives(*sides_[which].recordings.back());
  });
}

Status ComparedRuns::prepare_traces(std::size_t warmup) {
  // All recordings are cut like the first of the other side.
  for (std::size_t which = 0; which < 2; ++which) {
    for (std::size_t i = 0; i < runs_[which].size(); ++i) {
      if (which == 1 && i == 0) continue;  // found with the first normal one
      const Run& normal = *runs_[0][which == 0 ? i : 0];
      const Run& abnormal = *runs_[1][which == 0 ? 0 : i];
      Result<std::pair<Cycles, Cycles>> found = cycles_to_compare(normal, abnormal);
      if (!found) return found.error();
      if (which == 0) cycles_[0].push_back(std::make_unique<Cycles>(std::move(found->first)));
      if (which == 1 || i == 0) {
        cycles_[1].push_back(std::make_unique<Cycles>(std::move(found->second)));
      }
    }
  }
  // Measuring takes memory; of large runs, one side at a time.
  constexpr std::size_t kLarge = 2'000'000;
  std::size_t slices = 0;
  for (const auto& side : runs_) {
    for (const auto& run : side) slices += run->slices.size();
  }
  const unsigned threads = slices > kLarge ? 1 : thread_count(common_);
  parallel_for(threads, 2, [&](std::size_t which, unsigned) {
    for (std::size_t i = 0; i < runs_[which].size(); ++i) {
      const Run& run = *runs_[which][i];
      skip_warmup(warmup, *cycles_[which][i]);
      sides_[which].recordings.push_back(measure_trace(run, *cycles_[which][i]));
      split_collectives(*sides_[which].recordings.back());
      add_counters(counter_values(run, *sides_[which].recordings.back()), sides_[which].counters);
    }
  });
  return {};
}

std::vector<PatternFile> ComparedRuns::pattern_files(std::size_t which) const {
  if (!cycles_[which].empty()) {
    const Run& run = *runs_[which].front();
    if (!made_[which]) {
      made_[which] = std::make_unique<Run>(run_of_patterns(run, *cycles_[which].front()));
    }
    return {{paths_[which].front(), made_[which].get()}};
  }
  std::vector<PatternFile> files;
  for (std::size_t i = 0; i < runs_[which].size(); ++i) {
    files.push_back({paths_[which][i], runs_[which][i].get()});
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
