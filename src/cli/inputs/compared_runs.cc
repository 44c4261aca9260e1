#include "cli/inputs/compared_runs.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/parallel.h"
#include "cli/inputs/open_run.h"
#include "cli/terminal.h"
#include "explain/prepare_sides.h"
#include "measure/regroup.h"
#include "patterns/patterns.h"
#include "sources/content.h"

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
      if (run->slices.empty() && !counters.empty()) {
        return usage_error("--counters: " + path + " has its counters inside; give traces");
      }
      runs_[which].push_back(std::make_unique<Run>(std::move(*run)));
    }
    if (Status distinct = all_differ(which); !distinct) return distinct;
  }
  return {};
}

/// A recording and a copy of it always agree, which says nothing about chance.
Status ComparedRuns::all_differ(std::size_t which) const {
  if (runs_[which].size() < 2) return {};
  std::map<std::uint64_t, std::size_t> first;
  for (std::size_t i = 0; i < runs_[which].size(); ++i) {
    const std::uint64_t content = content_of(*runs_[which][i]);
    if (content == 0) continue;
    const auto [known, is_new] = first.try_emplace(content, i);
    if (is_new) continue;
    return usage_error("compare: " + paths_[which][i] + ": holds the same recording as " +
                       paths_[which][known->second] +
                       " (the same work at the same times), so it is no second one; leave it out");
  }
  return {};
}

Status ComparedRuns::prepare(const CompareQuestion& question) {
  std::array<std::vector<const Run*>, 2> runs;
  for (std::size_t which = 0; which < 2; ++which) {
    for (const auto& run : runs_[which]) runs[which].push_back(run.get());
  }
  if (question.steps.times.limits_time() && runs[0].front()->slices.empty()) {
    return usage_error("--from and --to: choose steps of traces; " + paths_[0].front() +
                       " holds patterns");
  }
  Result<PreparedSides> prepared = prepare_sides(runs, question.steps, thread_count(common_));
  if (!prepared) return prepared.error();
  sides_ = std::move(prepared->sides);
  cycles_ = std::move(prepared->cycles);
  if (Status whole = all_have_steps(); !whole) return whole;
  for (std::size_t which = 0; which < 2; ++which) {
    if (Status kept = keep_wanted(question, which); !kept) return kept;
  }
  return status();
}

Status ComparedRuns::keep_wanted(const CompareQuestion& question, std::size_t which) {
  const std::optional<std::int64_t>& pid = question.pids[which];
  if (!pid && !question.rank && !question.steps.times.limits_time()) return {};
  const auto keep = [&](const std::string& what, auto&& is_wanted) -> Status {
    bool any = false;
    for (const auto& recording : sides_[which].recordings) {
      keep_ranks(is_wanted, *recording);
      for (const RankMeasure& rank : recording->ranks) any = any || !rank.steps.empty();
    }
    if (any) return {};
    return usage_error(paths_[which].front() + ": has no " + what);
  };
  Status kept;
  if (question.steps.times.limits_time()) {
    kept = keep("whole step with GPU work from --from to --to",
                [](const RankMeasure&) { return true; });
  }
  if (kept && pid) {
    kept = keep("process " + std::to_string(*pid),
                [&](const RankMeasure& rank) { return rank.pid == *pid; });
  }
  if (kept && question.rank) {
    kept = keep("rank " + std::to_string(*question.rank),
                [&](const RankMeasure& rank) { return rank.rank == question.rank; });
  }
  return kept;
}

/// Of several recordings of a side, each has to say something.
Status ComparedRuns::all_have_steps() const {
  for (std::size_t which = 0; which < 2; ++which) {
    const auto& recordings = sides_[which].recordings;
    if (are_patterns() || recordings.size() < 2) continue;
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      const std::vector<RankMeasure>& ranks = recordings[i]->ranks;
      if (std::any_of(ranks.begin(), ranks.end(),
                      [](const RankMeasure& rank) { return !rank.steps.empty(); })) {
        continue;
      }
      return usage_error(paths_[which][i] +
                         ": has no whole step with GPU work, so it is no recording of a side; "
                         "leave it out");
    }
  }
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
