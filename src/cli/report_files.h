#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace tactus::cli {

/// How standard output is called where the name of a file is expected.
inline constexpr const char* kStandardOutput = "-";

/// The file of -o; standard output for "-".
Result<OutputFile> create_output(const std::string& path, bool replace);

/// Says on standard error that a file was written, and what to do next: "wrote page.html (310 kB);
/// open it in a browser". Says nothing if it went to standard output, or where nobody asked.
void say_written(const std::string& path, std::uint64_t bytes, std::string_view next, bool quiet);

/// Makes a folder for reports; one that is there is fine.
Status make_folder(const std::string& folder);

/// A usage error if one of the files exists and may not be replaced: before anything is written.
Status guard_existing(const std::vector<std::string>& files, bool replace);

/// Writes a report completely or not at all. `replace` allows to replace an existing file.
Status write_report(const std::string& path, const std::string& text, bool replace);

}  // namespace tactus::cli
