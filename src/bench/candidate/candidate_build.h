#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/temporary_path.h"
#include "bench/candidate/candidate.h"

namespace tactus {

/// A folder for build results, removed with the object.
class BuildFolder {
 public:
  static Result<BuildFolder> make();

  const std::string& path() const { return folder_.path(); }

 private:
  explicit BuildFolder(std::string path) : folder_(std::move(path), TemporaryPath::Kind::kFolder) {}
  TemporaryPath folder_;
};

/// The candidate that a user names: "cpu", "cuda" or "reference", a .so, a .py, or a .cpp or .cu
/// that is compiled into `folder`. A .hip is compiled, and the error says why it cannot run. A
/// compiler error is returned unchanged.
Result<Candidate> find_candidate(const std::string& named, tactus_device device, int ordinal,
                                 const BuildFolder& folder);

/// The result of compiling a candidate.
struct Compilation {
  std::vector<std::string> command;
  bool worked = false;
  std::string text;     ///< the compiler's output, unchanged
  std::string library;  ///< the .so, if it was built
};

/// Compiles a .cu for the GPU of that ordinal (sm_80 if there is none), a .hip, or a .cpp. An error
/// means that there is no compiler.
Result<Compilation> compile_candidate(const std::string& source, int ordinal,
                                      const BuildFolder& folder);

/// A host compiler that this nvcc accepts, tested; the default one if possible.
Result<std::string> host_compiler_for_nvcc(const std::string& nvcc, const BuildFolder& folder);

/// Our own CUDA kernels: beside the tool, or in its ../lib; empty if they were not built.
std::string cuda_library_path();

}  // namespace tactus
