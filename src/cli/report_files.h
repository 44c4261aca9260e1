#pragma once

#include <string>

#include "base/result.h"

namespace tactus::cli {

/// Makes a folder for reports; it may exist.
Status make_folder(const std::string& folder);

/// Writes a report completely or not at all. `replace` allows to replace an existing file.
Status write_report(const std::string& path, const std::string& text, bool replace);

}  // namespace tactus::cli
