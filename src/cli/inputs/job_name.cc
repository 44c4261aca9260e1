#include "cli/inputs/job_name.h"

#include <filesystem>

namespace tactus::cli {

namespace fs = std::filesystem;

std::string job_name(const std::string& input) {
  if (input == "-") return "stdin";
  std::error_code error;
  fs::path path = fs::path(input);
  const bool is_folder = fs::is_directory(path, error);
  if (is_folder) path = fs::canonical(path, error);
  path = path.filename();
  if (is_folder) return path.string();
  if (path.extension() == ".gz" || path.extension() == ".zst") path = path.stem();
  return path.stem().string();
}

std::string patterns_beside(const std::string& input) {
  return (fs::path(input).parent_path() / (job_name(input) + "_perf_data.csv")).string();
}

}  // namespace tactus::cli
