#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "compare/classic_pairing.h"
#include "compare/roles.h"
#include "sources/perf_data/cases.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

/// Runs that were opened for a comparison; what points to them stays valid.
class OpenRuns {
 public:
  explicit OpenRuns(const CommonOptions& common) : common_(common) {}

  Result<PatternFile> open(const std::string& path) {
    Result<Run> run = open_for_reading(path, common_);
    if (!run) return run.error();
    if (run->patterns.rows == 0) {
      return input_error(path + ": holds no patterns of cycles; give *_perf_data.csv");
    }
    runs_.push_back(std::make_unique<Run>(std::move(*run)));
    return PatternFile{path, runs_.back().get()};
  }
  Result<std::vector<PatternFile>> open(const std::vector<std::string>& paths) {
    std::vector<PatternFile> files;
    for (const std::string& path : paths) {
      Result<PatternFile> file = open(path);
      if (!file) return file.error();
      files.push_back(std::move(*file));
    }
    return files;
  }
  /// Columns are read when they are looked at; what went wrong then shows here.
  Status status() const {
    for (const auto& run : runs_) {
      if (Status status = run->status(); !status) return status;
    }
    return {};
  }

 private:
  const CommonOptions& common_;
  std::vector<std::unique_ptr<Run>> runs_;
};

Status make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    return usage_error(folder + ": cannot make this folder: " +
                       (error ? error.message() : "there is a file of that name"));
  }
  return {};
}

/// An older report of that name is replaced: the folder was given for reports.
Status write_report(const std::string& folder, const std::string& name, const std::string& text) {
  const std::string path = (fs::path(folder) / name).string();
  remove_if_interrupted(OutputFile::temporary_path(path));
  Result<OutputFile> file = OutputFile::create(path, true);
  if (!file) return file.error();
  if (Status status = file->write(text); !status) return status;
  Status committed = file->commit();
  remove_if_interrupted("");
  return committed;
}

/// How a run is called in a report: its file without the ending.
std::string name_of(const std::string& path) {
  return fs::path(path).lexically_normal().stem().string();
}

class CompareCommand final : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string description() const override { return "What changed between two runs"; }
  std::string examples() const override {
    return "  tactus compare CASE --classic reports          a folder with normal_perf_data/ and "
           "abnormal_perf_data/\n"
           "  tactus compare a_perf_data.csv b_perf_data.csv --classic reports\n"
           "  tactus compare --roles runs/*_perf_data.csv -o reports    which of many differ\n";
  }

  void add_options(CLI::App& app) override {
    app.add_option("RUN", inputs_, "the normal and the abnormal run, or a folder that holds both")
        ->required();
    app.add_option("--classic", classic_, "write the classic report (.md and .csv) to this folder")
        ->type_name("DIR");
    app.add_flag("--roles", roles_, "compare all processes of all runs with one another");
    app.add_option("-o,--output", output_, "the folder for the reports of --roles")
        ->type_name("DIR");
  }

  Result<int> run(const CommonOptions& common) override {
    if (roles_) return compare_many(common);
    if (classic_.empty()) return usage_error("compare: give --classic DIR, the folder for reports");
    if (inputs_.size() > 2) {
      return usage_error("compare: give two runs, or one folder; --roles compares more");
    }
    const Status done = inputs_.size() == 1 ? compare_folder(common) : compare_two(common);
    if (!done) return done.error();
    return kDone;
  }

 private:
  Status compare_folder(const CommonOptions& common) const {
    const Result<std::vector<perf_data::CaseFiles>> cases = perf_data::find_cases(inputs_[0]);
    if (!cases) return cases.error();
    for (const perf_data::CaseFiles& found : *cases) {
      OpenRuns runs(common);
      const Result<std::vector<PatternFile>> normal = runs.open(found.normal);
      if (!normal) return normal.error();
      const Result<std::vector<PatternFile>> abnormal = runs.open(found.abnormal);
      if (!abnormal) return abnormal.error();
      const std::vector<ClassicPair> pairs = pair_case(*normal, *abnormal, found.identifier);
      if (Status status = write_classic(pairs, runs, found.identifier); !status) return status;
    }
    return {};
  }

  Status compare_two(const CommonOptions& common) const {
    OpenRuns runs(common);
    const Result<std::vector<PatternFile>> files = runs.open(inputs_);
    if (!files) return files.error();
    const std::string names[2] = {name_of(inputs_[0]), name_of(inputs_[1])};
    const std::string identifier = names[0] == names[1] ? names[0] : names[0] + "_vs_" + names[1];
    return write_classic(pair_processes((*files)[0], (*files)[1], identifier), runs, identifier);
  }

  Status write_classic(const std::vector<ClassicPair>& pairs, const OpenRuns& runs,
                       const std::string& what) const {
    if (pairs.empty()) {
      return input_error(what +
                         ": no process of the one run to compare with one of the other; files of "
                         "both sides must have the same names");
    }
    if (Status made = make_folder(classic_); !made) return made;
    for (const ClassicPair& pair : pairs) {
      const ClassicReport report = report_pair(pair);
      if (Status status = runs.status(); !status) return status;
      for (const auto& [ending, text] :
           {std::pair(".csv", classic_csv(report)), std::pair(".md", classic_markdown(report))}) {
        Status written = write_report(classic_, report.file_stem + ending, text);
        if (!written) return written;
      }
      const std::string path = (fs::path(classic_) / report.file_stem).string();
      if (Status told = print(fmt::format("{}.md\n{}.csv\n", path, path)); !told) return told;
    }
    return {};
  }

  /// Folders replaced by the pattern files below them, where there are some.
  Result<std::vector<std::string>> role_files() const {
    std::vector<std::string> paths;
    for (const std::string& input : inputs_) {
      std::vector<std::string> found = {input};
      if (fs::is_directory(input)) {
        Result<std::vector<std::string>> below = perf_data::find_pattern_files(input);
        if (!below) return below.error();
        if (!below->empty()) found = std::move(*below);
      }
      paths.insert(paths.end(), found.begin(), found.end());
    }
    return paths;
  }

  Result<int> compare_many(const CommonOptions& common) const {
    const Result<std::vector<std::string>> paths = role_files();
    if (!paths) return paths.error();
    OpenRuns runs(common);
    const Result<std::vector<PatternFile>> files = runs.open(*paths);
    if (!files) return files.error();
    const RolesComparison comparison = compare_roles(*files, {.threads = thread_count(common)});
    if (Status status = runs.status(); !status) return status.error();
    if (comparison.roles.size() < 2) {
      return input_error(inputs_[0] +
                         ": has one process only; there is nothing to compare it with");
    }
    if (!output_.empty()) {
      if (Status written = write_roles(comparison); !written) return written.error();
    }
    if (Status told = print(roles_overview(comparison)); !told) return told.error();
    return kDone;
  }

  Status write_roles(const RolesComparison& comparison) const {
    if (Status made = make_folder(output_); !made) return made;
    for (const ClassicReport& report : comparison.reports) {
      Status written = write_report(output_, report.file_stem + ".csv", classic_csv(report));
      if (!written) return written;
    }
    return write_report(output_, "exploratory_comparison_report.md", roles_markdown(comparison));
  }

  std::vector<std::string> inputs_;
  std::string classic_;
  std::string output_;
  bool roles_ = false;
};

}  // namespace

std::unique_ptr<Command> compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace tactus::cli
