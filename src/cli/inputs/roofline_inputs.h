#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bounds/roofline/baseline.h"
#include "catalogue/catalogue.h"

namespace tactus::cli {

/// The whole text of a small file; an error if it is missing or too large.
Result<std::string> read_small_file(const std::string& path);

/// The catalogue in a file; the built-in one if there is no path.
Result<Catalogue> open_catalogue(const std::string& path);

/// The times in a file; none if there is no path.
Result<std::vector<BaselineTime>> open_baseline(const std::string& path);

}  // namespace tactus::cli
