#include "sources/perf_data/cases.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace tactus::perf_data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNormal = "normal_perf_data";
constexpr const char* kAbnormal = "abnormal_perf_data";

/// Without "." and without a final slash, so that it has a name and a parent.
fs::path tidy(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace

Result<std::vector<std::string>> find_pattern_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;  // a broken link is not a file
    if (at->path().filename().string().ends_with("_perf_data.csv") &&
        at->is_regular_file(ignored)) {
      files.push_back(at->path().string());
    }
  }
  if (error) return input_error(folder + ": cannot read the folder: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<CaseFiles>> find_cases(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return input_error(folder + ": is not a folder; give two runs, or a folder with " + kNormal +
                       "/ and " + kAbnormal + "/");
  }
  fs::path start = fs::path(folder).lexically_normal();
  const fs::path name = tidy(start).filename();
  if (name == kNormal || name == kAbnormal) start = (start / "..").lexically_normal();
  const Result<std::vector<std::string>> files = find_pattern_files(start.string());
  if (!files) return files.error();
  std::map<std::string, CaseFiles> by_folder;
  for (const std::string& file : *files) {
    const fs::path side = fs::path(file).parent_path();
    const std::string case_folder = tidy(side.parent_path() / ".").string();
    if (side.filename() == kNormal) by_folder[case_folder].normal.push_back(file);
    if (side.filename() == kAbnormal) by_folder[case_folder].abnormal.push_back(file);
  }
  const fs::path above = tidy(start).parent_path();
  std::vector<CaseFiles> cases;
  for (auto& [path, found] : by_folder) {
    if (found.normal.empty() || found.abnormal.empty()) continue;
    found.identifier = fs::path(path).lexically_relative(above).generic_string();
    cases.push_back(std::move(found));
  }
  if (cases.empty()) {
    return input_error(folder + ": holds no case: a folder with " + kNormal + "/ and " + kAbnormal +
                       "/, each with *_perf_data.csv files; or give two files");
  }
  return cases;
}

}  // namespace tactus::perf_data
