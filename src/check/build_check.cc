#include "check/build_check.h"

#include <fmt/format.h>

namespace tactus {
namespace {

constexpr std::uint64_t kEnoughSpace = std::uint64_t{1} << 30;  // nvcc's own files and the library

CheckItem kernels_of_tactus(const MachineFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRun, .item = "CUDA kernels of tactus"};
  if (!facts.cuda_library.empty()) {
    item.found = facts.cuda_library;
    return item;
  }
  item.state = CheckState::kMissing;
  item.found = "libtactus_cuda.so is neither next to the tool nor in ../lib";
  item.fix =
      "run `make build` again where nvcc 12 or later and cublasLt.h are; --device cpu works "
      "without";
  return item;
}

CheckItem cublaslt(const MachineFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRun, .item = "cuBLASLt"};
  if (!facts.driver.cublaslt.empty()) {
    item.found = facts.driver.cublaslt;
    return item;
  }
  item.state = CheckState::kMissing;
  item.found = "libcublasLt.so does not load; matrix products on CUDA are skipped";
  item.fix = "install libcublas of the CUDA toolkit, or put its folder into LD_LIBRARY_PATH";
  return item;
}

CheckItem python(const MachineFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kRun, .item = "Python with torch"};
  if (!facts.torch.empty()) {
    item.found = fmt::format("torch {} ({})", facts.torch, facts.python.path);
    if (facts.torch.find("for the CPU") != std::string::npos && !facts.driver.gpus.empty()) {
      item.fix = "this torch sees no GPU: install the one for CUDA";
    }
    return item;
  }
  item.state = CheckState::kMissing;
  item.found = facts.python.path.empty() ? "no python3 on the PATH"
                                         : fmt::format("{} has no torch", facts.python.path);
  item.fix =
      "pip install torch, in a virtual environment that is active; .py candidates and --rival "
      "torch need it";
  return item;
}

CheckItem temporary_folder(const MachineFacts& facts) {
  CheckItem item{.purpose = CheckPurpose::kBuild, .item = "temporary folder"};
  const std::string folder = facts.temporary.empty() ? "none" : facts.temporary;
  item.found = fmt::format("{}, {:.1f} GB free", folder,
                           static_cast<double>(facts.temporary_free_bytes) / 1e9);
  item.fix = "export TMPDIR=FOLDER, one with 1 GB of space that may be written and run from";
  if (!facts.temporary_writable) {
    item.state = CheckState::kDenied;
    item.found = folder + " may not be written";
  } else if (facts.temporary_no_exec) {
    item.state = CheckState::kDenied;
    item.found = folder + " is mounted noexec: what is built there cannot be loaded";
  } else if (facts.temporary_free_bytes < kEnoughSpace) {
    item.state = CheckState::kMissing;
  } else {
    item.fix.clear();
  }
  return item;
}

}  // namespace

std::string_view check_state_name(CheckState state) {
  switch (state) {
    case CheckState::kOk: return "ok";
    case CheckState::kMissing: return "missing";
    case CheckState::kDenied: return "denied";
  }
  return "";
}

std::string_view check_purpose_name(CheckPurpose purpose) {
  switch (purpose) {
    case CheckPurpose::kBuild: return "build";
    case CheckPurpose::kRun: return "run";
    case CheckPurpose::kRecord: return "record";
  }
  return "";
}

std::vector<CheckItem> check_machine(const MachineFacts& facts) {
  std::vector<CheckItem> items;
  check_compilers(facts, items);
  items.push_back(temporary_folder(facts));
  check_driver(facts, items);
  items.push_back(kernels_of_tactus(facts));
  items.push_back(cublaslt(facts));
  items.push_back(python(facts));
  check_recording(facts, items);
  return items;
}

}  // namespace tactus
