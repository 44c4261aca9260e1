#include "cli/report_files.h"

#include <filesystem>

#include "base/file.h"
#include "cli/terminal.h"

namespace tactus::cli {

Status make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    return usage_error(folder + ": cannot make this folder: " +
                       (error ? error.message() : "there is a file of that name"));
  }
  return {};
}

Status write_report(const std::string& path, const std::string& text, bool replace) {
  remove_if_interrupted(OutputFile::temporary_path(path));
  Result<OutputFile> file = OutputFile::create(path, replace);
  if (!file) return file.error();
  if (Status status = file->write(text); !status) return status;
  Status committed = file->commit();
  remove_if_interrupted("");
  return committed;
}

}  // namespace tactus::cli
