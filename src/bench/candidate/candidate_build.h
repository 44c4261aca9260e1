#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bench/candidate/candidate.h"

namespace tactus {

/// A folder for what is built, removed with the object.
class BuildFolder {
 public:
  static Result<BuildFolder> make();
  ~BuildFolder();
  BuildFolder(BuildFolder&& other) noexcept;
  BuildFolder& operator=(BuildFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit BuildFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// The candidate that a user names: "cpu", "cuda" or "reference", a .so, or a .cpp or .cu that is
/// compiled into `folder`. A compiler's complaint is the error, as the compiler gave it.
Result<Candidate> find_candidate(const std::string& named, tactus_device device, int ordinal,
                                 const BuildFolder& folder);

/// What came of compiling a candidate.
struct Compilation {
  std::vector<std::string> command;
  bool worked = false;
  std::string text;     ///< what the compiler said, as it said it
  std::string library;  ///< the .so, where it worked
};

/// Compiles a .cu for the GPU of that ordinal (sm_80 where there is none), or a .cpp. An error
/// means that it was not even tried: no compiler.
Result<Compilation> compile_candidate(const std::string& source, int ordinal,
                                      const BuildFolder& folder);

/// A host compiler that this nvcc takes, tried out; the default one where it does.
Result<std::string> host_compiler_for_nvcc(const std::string& nvcc, const BuildFolder& folder);

/// Our own CUDA kernels: beside the tool, or in ../lib of it; empty if they were not built.
std::string cuda_library_path();

}  // namespace tactus
