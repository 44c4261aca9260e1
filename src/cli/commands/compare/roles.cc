#include "cli/commands/compare/roles.h"

#include <filesystem>

#include "classic/roles/roles.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
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
  std::vector<std::unique_ptr<Run>> kept;
  std::vector<const Run*> runs;
  std::vector<PatternFile> files;
  for (const std::string& path : *paths) {
    Result<Run> run = open_for_reading(path, common);
    if (!run) return run.error();
    if (run->patterns.rows == 0) {
      return input_error(path +
                         ": holds no patterns of cycles; give *_perf_data.csv (tactus patterns "
                         "makes them)");
    }
    kept.push_back(std::make_unique<Run>(std::move(*run)));
    runs.push_back(kept.back().get());
    files.push_back({path, runs.back()});
  }
  const RolesComparison comparison = compare_roles(files, {.threads = thread_count(common)});
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
