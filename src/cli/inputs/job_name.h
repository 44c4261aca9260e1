#pragma once

#include <string>

namespace tactus::cli {

/// The job name in the names of its pattern files: "runs/normal.json.gz" is the job "normal", a
/// folder has its own name.
std::string job_name(const std::string& input);

/// Where `tactus patterns` would write the patterns of an input, beside it.
std::string patterns_beside(const std::string& input);

}  // namespace tactus::cli
