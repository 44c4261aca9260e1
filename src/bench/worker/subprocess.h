#pragma once

#include <functional>
#include <string>
#include <string_view>
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

/// A program that reads a file and writes lines, for as long as it takes.
struct LineProgram {
  std::vector<std::string> command;
  std::string input;      ///< file that is its standard input
  std::string errors;     ///< file that takes its standard error
  double patience_s = 0;  ///< how long it may be silent
};

/// Runs it and hands over each line when it comes. Its exit code (128 + the signal where one ended
/// it); an error if it could not be started, was silent for too long and was killed, or writes
/// lines without end. Nothing that it started is left behind.
Result<int> run_line_program(const LineProgram& program,
                             const std::function<void(std::string_view)>& line);

/// Where a program of that name lies on the PATH; empty if nowhere.
std::string program_path(const std::string& name);

}  // namespace tactus
