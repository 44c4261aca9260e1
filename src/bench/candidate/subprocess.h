#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tactus {

/// The result of running a program.
struct ProgramOutput {
  int exit_code = 0;  ///< 128 + the signal, if one ended it
  std::string text;   ///< standard output and standard error together
};

/// Runs a program with its arguments (no shell) and waits. An error means that it could not be
/// started or took too long and was killed.
Result<ProgramOutput> run_program(const std::vector<std::string>& command, double seconds,
                                  const std::string& folder = {});

/// A program that reads a file and writes lines, for as long as it takes.
struct LineProgram {
  std::vector<std::string> command;
  std::string input;      ///< file that is its standard input
  std::string errors;     ///< file that takes its standard error
  double patience_s = 0;  ///< how long it may be silent
};

/// Runs it and passes on each line when it comes. Returns its exit code (128 + the signal, if one
/// ended it). An error if it could not start, was silent for too long and was killed, or writes
/// endless lines. No process that it started is left.
Result<int> run_line_program(const LineProgram& program,
                             const std::function<void(std::string_view)>& line);

/// The path of a program on the PATH; empty if it is not there.
std::string program_path(const std::string& name);

}  // namespace tactus
