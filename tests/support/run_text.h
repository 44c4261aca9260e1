#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"
#include "sources/kineto/kineto.h"

namespace tactus::testing {

/// Everything a run says, line by line and without ids: two runs are equal if their lines are.
std::vector<std::string> run_lines(const Run& run);

/// Reads a trace from its JSON text. The test fails if it cannot be read.
Run import_json(std::string_view json, const kineto::ReadOptions& options = {});

/// The error that reading a text gives; empty if it gives none.
std::string import_error(std::string_view json);

/// "name dur" of each slice, in row order.
std::vector<std::string> slice_names(const Run& run);

}  // namespace tactus::testing
