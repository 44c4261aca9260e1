#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "check/build_check.h"
#include "check/file_check.h"

namespace tactus {

/// The checks, files first, with a fix for each missing thing.
std::string check_text(const std::vector<FileCheck>& files, const std::vector<CheckItem>& items,
                       std::size_t width);

/// An array of {"item","state","fix",...}.
std::string check_json(const std::vector<FileCheck>& files, const std::vector<CheckItem>& items);

}  // namespace tactus
