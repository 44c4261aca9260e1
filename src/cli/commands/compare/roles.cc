#include "cli/commands/compare/roles.h"

#include <filesystem>

#include "classic/roles/roles.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/job_name.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "cycles/cycle_selection.h"
#include "patterns/patterns.h"
#include "sources/perf_data/cases.h"
#include "views/classic/classic_view.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

/// Folders replaced by the pattern files below them, where there are some.
Result<std::vector<std::string>> role_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> paths;
  for (const std::string& input : inputs) {
    std::vector<std::string> found = {input};
    std::error_code error;
    if (fs::is_directory(input, error)) {
      Result<std::vector<std::string>> below = perf_data::find_pattern_files(input);
      if (!below) return below.error();
      if (!below->empty()) found = std::move(*below);
    }
    paths.insert(paths.end(), found.begin(), found.end());
  }
  return paths;
}

/// The patterns of a trace, as `tactus patterns` makes them.
Result<Run> make_roles(const Run& run, const std::string& path, const RolesQuestion& question) {
  Result<Cycles> cycles = find_cycles(run, {});
  if (!cycles) return Error{cycles.error().code, path + ": " + cycles.error().message};
  skip_warmup(question.warmup, *cycles);
  if (question.phase) keep_phase(*question.phase, *cycles);
  Run made = run_of_patterns(run, *cycles);
  if (made.patterns.rows == 0) {
    return input_error(path + ": has no whole step to make patterns of (tactus cycles " + path +
                       " shows what is found)");
  }
  return made;
}

/// The files of all roles, and the runs that hold them.
struct RoleRuns {
  std::vector<std::unique_ptr<Run>> opened;
  std::vector<std::unique_ptr<Run>> made;
  std::vector<PatternFile> files;

  Status open(const std::string& path, const RolesQuestion& question, const CommonOptions& common) {
    Result<Run> run = open_for_reading(path, common);
    if (!run) return run.error();
    opened.push_back(std::make_unique<Run>(std::move(*run)));
    const Run& source = *opened.back();
    if (source.patterns.rows != 0) {
      files.push_back({path, &source});
      return {};
    }
    if (source.slices.empty()) {
      return usage_error(path +
                         ": holds neither slices nor patterns of cycles; give a trace or a "
                         "*_perf_data.csv");
    }
    Result<Run> patterns = make_roles(source, path, question);
    if (!patterns) return patterns.error();
    made.push_back(std::make_unique<Run>(std::move(*patterns)));
    files.push_back({patterns_beside(path), made.back().get()});
    return source.status();
  }

  std::vector<const Run*> sources() const {
    std::vector<const Run*> runs;
    for (const auto& run : opened) runs.push_back(run.get());
    return runs;
  }
};

/// The reports of pairs and the overview: all of them, or none if one of the files exists.
Status write_roles(const RolesComparison& comparison, const RolesQuestion& question) {
  if (Status made = make_folder(question.folder); !made) return made;
  std::vector<std::pair<std::string, std::string>> files;
  for (const ClassicReport& report : comparison.reports) {
    files.emplace_back((fs::path(question.folder) / (report.file_stem + ".csv")).string(),
                       classic_csv(report));
  }
  files.emplace_back((fs::path(question.folder) / "exploratory_comparison_report.md").string(),
                     roles_markdown(comparison));
  for (const auto& [path, text] : files) {
    if (Status safe = guard_inputs({path}, question.inputs); !safe) return safe;
    if (Status free = guard_existing({path}, question.force); !free) return free;
  }
  for (const auto& [path, text] : files) {
    if (Status written = write_report(path, text, question.force); !written) return written;
  }
  return {};
}

}  // namespace

Result<int> compare_roles_of(const RolesQuestion& question, const CommonOptions& common) {
  const Result<std::vector<std::string>> paths = role_files(question.inputs);
  if (!paths) return paths.error();
  RoleRuns roles;
  for (const std::string& path : *paths) {
    if (Status opened = roles.open(path, question, common); !opened) return opened.error();
  }
  const std::vector<const Run*> runs = roles.sources();
  const RolesComparison comparison = compare_roles(roles.files, {.threads = thread_count(common)});
  for (const Run* run : runs) {
    if (Status status = run->status(); !status) return status.error();
  }
  if (comparison.roles.size() < 2) {
    return input_error(question.inputs[0] +
                       ": has one process only; there is nothing to compare it with");
  }
  const bool prints_all = question.folder == kStandardOutput;
  if (!question.folder.empty() && !prints_all) {
    if (Status written = write_roles(comparison, question); !written) return written.error();
  }
  const Status printed = print(question.json ? roles_json(comparison, runs)
                               : prints_all  ? roles_markdown(comparison)
                                             : roles_overview(comparison));
  if (!printed) return printed.error();
  return kDone;
}

}  // namespace tactus::cli
