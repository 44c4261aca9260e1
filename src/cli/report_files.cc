#include "cli/report_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/printable.h"
#include "views/common/numbers.h"

namespace tactus::cli {

void say_written(const std::string& path, std::uint64_t bytes, std::string_view next, bool quiet) {
  if (quiet || path == kStandardOutput) return;
  const std::string text =
      fmt::format("wrote {} ({}); {}\n", printable(path), format_bytes(bytes), next);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Status make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::error_code unknown;
  if (std::filesystem::is_directory(folder, unknown)) return {};
  return usage_error(folder + ": cannot make this folder: " +
                     (error ? error.message() : "there is a file of that name"));
}

Result<OutputFile> create_output(const std::string& path, bool replace) {
  if (path == kStandardOutput) return OutputFile::standard_output();
  return OutputFile::create(path, replace);
}

Status guard_existing(const std::vector<std::string>& files, bool replace) {
  for (const std::string& file : files) {
    std::error_code error;
    if (replace || !std::filesystem::exists(file, error)) continue;
    return usage_error(file + ": exists already; give --force to overwrite it");
  }
  return {};
}

Status write_report(const std::string& path, const std::string& text, bool replace) {
  if (path == kStandardOutput) {
    return usage_error("-: give the name of a file; standard output has the result itself");
  }
  Result<OutputFile> file = create_output(path, replace);
  if (!file) return file.error();
  if (Status status = file->write(text); !status) return status;
  return file->commit();
}

}  // namespace tactus::cli
