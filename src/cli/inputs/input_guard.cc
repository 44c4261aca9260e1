#include "cli/inputs/input_guard.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "cli/report_files.h"
#include "sources/inputs.h"

namespace tactus::cli {
namespace {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

/// Nothing for what is not a plain file: writing to a device or a pipe destroys nothing.
std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  const int found =
      path == kStandardOutput ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (found != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

/// All files that a command reads if it is given this input.
std::vector<std::string> files_of(const std::string& input) {
  std::vector<std::string> files;
  const Result<std::vector<Input>> expanded = expand_folders({input});
  if (!expanded) return {input};  // a folder with no recording
  for (const Input& file : *expanded) {
    files.push_back(file.path);
    if (std::optional<std::string> counters = counters_beside(file.path)) {
      files.push_back(std::move(*counters));
    }
  }
  return files;
}

}  // namespace

Status guard_inputs(const std::vector<std::string>& outputs,
                    const std::vector<std::string>& inputs) {
  for (const std::string& output : outputs) {
    if (output.empty() || output == kStandardOutput) continue;
    const std::optional<FileIdentity> written = identity_of(output);
    if (!written) continue;  // a new file
    for (const std::string& input : inputs) {
      for (const std::string& file : files_of(input)) {
        if (file.empty() || identity_of(file) != written) continue;
        const std::string name = file == kStandardOutput ? "standard input" : file;
        return usage_error(output + ": is an input of this command" +
                           (name == output ? "" : " (" + name + ")") +
                           "; give another file to write to");
      }
    }
  }
  return {};
}

}  // namespace tactus::cli
