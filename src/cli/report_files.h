#pragma once

#include <string>

#include "base/result.h"

namespace tactus::cli {

/// Makes a folder for reports; one that is there is fine.
Status make_folder(const std::string& folder);

/// Writes a report under its name or not at all. One of that name is replaced if `replace` says so.
Status write_report(const std::string& path, const std::string& text, bool replace);

}  // namespace tactus::cli
