#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bounds/roofline/baseline.h"
#include "catalogue/catalogue.h"

namespace tactus::cli {

/// The whole of a small file; an error where it is not there, or too large to be one.
Result<std::string> read_small_file(const std::string& path);

/// The catalogue in a file, or the built-in one for no path.
Result<Catalogue> open_catalogue(const std::string& path);

/// The times in a file; none for no path.
Result<std::vector<BaselineTime>> open_baseline(const std::string& path);

}  // namespace tactus::cli
