#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tactus {

/// What came of running a program.
struct ProgramOutput {
  int exit_code = 0;  ///< 128 + the signal where one ended it
  std::string text;   ///< standard output and standard error together
};

/// Runs a program with its arguments (no shell) and waits. An error means that it could not be
/// started or took too long and was killed.
Result<ProgramOutput> run_program(const std::vector<std::string>& command, double seconds,
                                  const std::string& folder = {});

/// Where a program of that name lies on the PATH; empty if nowhere.
std::string program_path(const std::string& name);

}  // namespace tactus
