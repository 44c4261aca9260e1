#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bench/candidate/candidate_build.h"
#include "check/build_check.h"

namespace tactus {

/// The findings about a file that should run on a GPU.
struct FileCheck {
  CheckItem item;
  std::vector<std::string> architectures;  ///< "sm_80", "compute_90": GPU code inside
  std::vector<std::string> command;        ///< the command that compiled it
  std::string complaint;                   ///< the compiler's output, unchanged
};

/// A library, program or object file: its GPU code against the GPUs here. An error means that the
/// file cannot be read.
Result<std::vector<FileCheck>> check_library(const std::string& path, const DriverFacts& driver);

/// A .cu or .cpp: compiled as `tactus bench` does, and the result checked.
Result<std::vector<FileCheck>> check_source(const std::string& path, const MachineFacts& facts);

/// GPU code against the GPUs here, one check per kind of GPU.
std::vector<FileCheck> check_code(const std::string& name, const Fatbin& fatbin,
                                  const DriverFacts& driver);

/// What to do about an nvcc error, in one line.
std::string fix_for_complaint(const std::string& complaint, const CompilerFacts& compilers);

}  // namespace tactus
