#include "check/gpu_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tactus {
namespace {

/// "sm_80, sm_86 and sm_90"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::vector<std::string> names_of(const Fatbin& fatbin, bool machine_code) {
  std::vector<std::string> names;
  for (const GpuCode& code : fatbin.code) {
    if (code.machine_code == machine_code) names.push_back(code.name());
  }
  return names;
}

/// "machine code for sm_80 and PTX for compute_90"
std::string contents(const Fatbin& fatbin) {
  const std::vector<std::string> machine_code = names_of(fatbin, true);
  const std::vector<std::string> ptx = names_of(fatbin, false);
  std::string text;
  if (!machine_code.empty()) text = "machine code for " + listed(machine_code);
  if (!ptx.empty()) text += (text.empty() ? "PTX for " : " and PTX for ") + listed(ptx);
  return text;
}

std::string gencode(const Gpu& gpu) {
  return fmt::format("add -gencode arch=compute_{0},code=sm_{0}", gpu.capability);
}

/// "runs on A100 and L40S, after compiling on H200, not on B200": for builds on a machine without a
/// GPU.
std::string elsewhere(const Fatbin& fatbin) {
  const Gpu gpus[] = {{"A100", 80}, {"L40S", 89}, {"H100/H200", 90}, {"B200", 100}};
  std::vector<std::string> runs;
  std::vector<std::string> compiles;
  std::vector<std::string> fails;
  for (const Gpu& gpu : gpus) {
    bool machine_code = false;
    bool ptx = false;
    for (const GpuCode& code : fatbin.code) {
      if (fits(code, gpu)) (code.machine_code ? machine_code : ptx) = true;
    }
    (machine_code ? runs : ptx ? compiles : fails).push_back(gpu.name);
  }
  std::vector<std::string> parts;
  if (!runs.empty()) parts.push_back(fmt::format("runs on {}", fmt::join(runs, ", ")));
  if (!compiles.empty()) {
    parts.push_back(fmt::format("on {} after the driver compiled it", fmt::join(compiles, ", ")));
  }
  if (!fails.empty()) parts.push_back(fmt::format("not on {}", fmt::join(fails, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

FitVerdict without_code(const Fatbin& fatbin) {
  if (fatbin.for_amd) {
    return {Fit::kDoesNotRun, "holds code for AMD GPUs, none for NVIDIA's",
            "build it with nvcc for CUDA"};
  }
  if (fatbin.other_code) {
    return {Fit::kDoesNotRun,
            "holds GPU code that is still to be linked (-dlto, lto_XX), none that runs",
            "link it with nvcc -dlto -gencode arch=compute_90,code=sm_90"};
  }
  return {Fit::kDoesNotRun, "holds no GPU code: it was compiled for the CPU only",
          "compile the .cu files with nvcc, and link what it makes"};
}

std::string newer_than_driver(const Gpu& gpu, int needed, int driver_version) {
  if (needed / 1000 == driver_version / 1000) {
    return gencode(gpu) + ": machine code needs no newer driver of the same CUDA generation";
  }
  return fmt::format("update the driver to one for CUDA {}, or build with a toolkit of CUDA {}",
                     needed / 1000, driver_version / 1000);
}

FitVerdict after_compiling(const Fatbin& fatbin, const GpuCode& ptx, const Gpu& gpu,
                           int driver_version) {
  const int needed = cuda_version_of_ptx(ptx.ptx_version);
  if (needed != 0 && driver_version != 0 && needed > driver_version) {
    return {Fit::kDoesNotRun,
            fmt::format("has {}: on {} ({}) only the PTX fits, but it is of CUDA {} and the driver "
                        "supports up to {}, so nothing runs",
                        contents(fatbin), gpu.name, gpu.architecture(), cuda_version_text(needed),
                        cuda_version_text(driver_version)),
            newer_than_driver(gpu, needed, driver_version)};
  }
  return {Fit::kRunsAfterCompiling,
          fmt::format("has {}: {} ({}) runs it, but the driver compiles {} first, and code made "
                      "for this GPU may be faster",
                      contents(fatbin), gpu.name, gpu.architecture(), ptx.name()),
          gencode(gpu)};
}

}  // namespace

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

int cuda_version_of_ptx(int ptx_version) {
  // PTX versions follow CUDA's minor ones, with two that came late in 12.
  if (ptx_version >= 70 && ptx_version <= 78) return 11000 + (ptx_version - 70) * 10;
  if (ptx_version >= 80 && ptx_version <= 85) return 12000 + (ptx_version - 80) * 10;
  if (ptx_version >= 86 && ptx_version <= 88) return 12000 + (ptx_version - 79) * 10;
  if (ptx_version >= 90 && ptx_version <= 99) return 13000 + (ptx_version - 90) * 10;
  return 0;
}

bool fits(const GpuCode& code, const Gpu& gpu) {
  if (code.variant == 'a') return code.number == gpu.capability;
  const bool same_generation = code.number / 10 == gpu.capability / 10;
  if (code.machine_code || code.variant == 'f') {
    return same_generation && code.number <= gpu.capability;
  }
  return code.number <= gpu.capability;
}

FitVerdict fit_of(const Fatbin& fatbin, const Gpu* gpu, int driver_version) {
  if (fatbin.code.empty() && !fatbin.broken.empty()) {
    return {Fit::kUnknown, "cannot be read: " + fatbin.broken,
            "install cuobjdump (CUDA toolkit); tactus then reads it with that"};
  }
  if (fatbin.code.empty()) return without_code(fatbin);
  if (gpu == nullptr) {
    return {Fit::kUnknown,
            fmt::format("has {}; there is no GPU here to compare it with: {}", contents(fatbin),
                        elsewhere(fatbin)),
            ""};
  }
  const GpuCode* ptx = nullptr;
  for (const GpuCode& code : fatbin.code) {
    if (!fits(code, *gpu)) continue;
    if (code.machine_code) {
      return {Fit::kRuns,
              fmt::format("has {}: {} ({}) runs it as it is", contents(fatbin), gpu->name,
                          gpu->architecture()),
              ""};
    }
    ptx = &code;  // the newest that fits; the driver uses it
  }
  if (ptx != nullptr) return after_compiling(fatbin, *ptx, *gpu, driver_version);
  return {Fit::kDoesNotRun,
          fmt::format("has {} only: on {} ({}) nothing runs", contents(fatbin), gpu->name,
                      gpu->architecture()),
          gencode(*gpu)};
}

}  // namespace tactus
