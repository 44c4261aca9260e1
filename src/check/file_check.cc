#include "check/file_check.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "bench/device/hip_driver.h"
#include "bench/candidate/subprocess.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr double kToolPatienceSeconds = 120;

#if defined(__aarch64__)
constexpr int kThisProcessor = EM_AARCH64;
#else
constexpr int kThisProcessor = EM_X86_64;
#endif

std::string processor_name(int machine) {
  if (machine == EM_X86_64) return "x86-64";
  if (machine == EM_AARCH64) return "aarch64";
  return fmt::format("other (ELF machine {})", machine);
}

/// NVIDIA's own tool, for layouts that our reader does not know.
void ask_cuobjdump(const std::string& path, Fatbin& fatbin) {
  const std::string tool = program_path("cuobjdump");
  if (tool.empty()) return;
  for (const bool machine_code : {true, false}) {
    const Result<ProgramOutput> output =
        run_program({tool, machine_code ? "--list-elf" : "--list-ptx", path}, kToolPatienceSeconds);
    if (!output || output->exit_code != 0) continue;
    const std::vector<GpuCode> named = gpu_code_named(output->text, machine_code);
    fatbin.code.insert(fatbin.code.end(), named.begin(), named.end());
  }
  tidy(fatbin.code);
}

CheckState state_of(Fit fit) {
  return fit == Fit::kDoesNotRun ? CheckState::kMissing : CheckState::kOk;
}

FileCheck one_check(const std::string& name, const Fatbin& fatbin, const Gpu* gpu, int version) {
  const FitVerdict verdict = fit_of(fatbin, gpu, version);
  FileCheck check;
  check.item = {.purpose = CheckPurpose::kBuild,
                .item = "GPU code of " + name,
                .state = state_of(verdict.fit),
                .found = verdict.sentence,
                .fix = verdict.fix};
  // Code without a GPU to run it is not an error of the file, but it does not run here.
  if (verdict.fit == Fit::kUnknown) {
    check.item.state = CheckState::kMissing;
    if (verdict.fix.empty()) check.item.fix = "see GPU and NVIDIA driver";
  }
  if (!fatbin.broken.empty() && !fatbin.code.empty()) {
    check.item.found += "; more may be inside: " + fatbin.broken;
  }
  for (const GpuCode& code : fatbin.code) check.architectures.push_back(code.name());
  return check;
}

FileCheck compiled(const std::string& name, const Compilation& made, const MachineFacts& facts) {
  FileCheck check;
  check.command = made.command;
  check.item = {.purpose = CheckPurpose::kBuild, .item = "compiling " + name};
  if (made.worked) {
    check.item.found = fmt::format("works: {}", fmt::join(made.command, " "));
    return check;
  }
  check.item.state = CheckState::kDenied;
  check.item.found = fmt::format("fails: {}", fmt::join(made.command, " "));
  check.item.fix = fix_for_complaint(made.text, facts.compilers);
  check.complaint = made.text;
  return check;
}

FileCheck run_of_hip(const std::string& name) {
  const Result<int> gpus = count_amd_gpus();
  FileCheck check;
  check.item = {.purpose = CheckPurpose::kRun,
                .item = "running " + name,
                .state = CheckState::kMissing,
                .found = gpus ? fmt::format("{} AMD GPUs; tactus only builds HIP so far", *gpus)
                              : gpus.error().message,
                .fix = "run it with a program of your own"};
  return check;
}

}  // namespace

std::string fix_for_complaint(const std::string& complaint, const CompilerFacts& compilers) {
  const auto says = [&](std::string_view words) { return complaint.find(words) != complaint.npos; };
  std::smatch match;
  if (says("unsupported GNU version") || says("unsupported clang version")) {
    return compilers.newest_gcc == 0
               ? std::string("use an older host compiler: nvcc -ccbin g++-12")
               : fmt::format("use a host compiler up to g++ {0}: nvcc -ccbin g++-{0}",
                             compilers.newest_gcc);
  }
  if (says("nsupported gpu architecture")) {
    return fmt::format(
        "nvcc {} does not know this GPU (`nvcc --list-gpu-arch`): use a toolkit that does",
        cuda_version_text(compilers.toolkit));
  }
  if (std::regex_search(complaint, match, std::regex("fatal error: (\\S+): No such file"))) {
    return fmt::format(
        "{} is not where nvcc looks: put it beside the file, or name its folder in CPATH",
        match[1].str());
  }
  if (says("requires") && (says("C++17") || says("C++20"))) {
    return "candidates are compiled as C++17: do not use newer C++";
  }
  if (says("Unresolved extern function")) {
    return "a __device__ function is declared but not defined in this file: put it there";
  }
  if (says("cannot find -l")) return "a library is missing: put its folder into LIBRARY_PATH";
  if (std::regex_search(complaint, match, std::regex(R"((?:^|\n)([^\n]*\berror\b[^\n]*))"))) {
    return "fix the first error: " + match[1].str();
  }
  return "fix the errors of the compiler";
}

std::vector<FileCheck> check_code(const std::string& name, const Fatbin& fatbin,
                                  const DriverFacts& driver) {
  std::vector<FileCheck> checks;
  if (fatbin.host_machine != 0 && fatbin.host_machine != kThisProcessor) {
    FileCheck check;
    check.item = {
        .purpose = CheckPurpose::kBuild,
        .item = "processor of " + name,
        .state = CheckState::kDenied,
        .found = fmt::format("is built for {} processors, this one is {}",
                             processor_name(fatbin.host_machine), processor_name(kThisProcessor)),
        .fix = "build it on this machine"};
    checks.push_back(std::move(check));
  }
  if (driver.gpus.empty()) {
    checks.push_back(one_check(name, fatbin, nullptr, driver.version));
    return checks;
  }
  std::vector<int> seen;
  for (const Gpu& gpu : driver.gpus) {
    if (std::find(seen.begin(), seen.end(), gpu.capability) != seen.end()) continue;
    seen.push_back(gpu.capability);
    checks.push_back(one_check(name, fatbin, &gpu, driver.version));
  }
  return checks;
}

Result<std::vector<FileCheck>> check_library(const std::string& path, const DriverFacts& driver) {
  Result<Fatbin> fatbin = read_fatbin_file(path);
  if (!fatbin) return fatbin.error();
  if (!fatbin->broken.empty()) ask_cuobjdump(path, *fatbin);
  return check_code(fs::path(path).filename().string(), *fatbin, driver);
}

Result<std::vector<FileCheck>> check_source(const std::string& path, const MachineFacts& facts) {
  const Result<BuildFolder> folder = BuildFolder::make();
  if (!folder) return folder.error();
  const std::string name = fs::path(path).filename().string();
  const Result<Compilation> made = compile_candidate(path, 0, *folder);
  std::vector<FileCheck> checks;
  if (!made) {
    FileCheck check;
    check.item = {.purpose = CheckPurpose::kBuild,
                  .item = "compiling " + name,
                  .state = CheckState::kMissing,
                  .found = made.error().message,
                  .fix = path.ends_with(".hip") ? "install hipcc (Debian: apt-get install hipcc)"
                                                : "see CUDA toolkit and host compiler"};
    checks.push_back(std::move(check));
    return checks;
  }
  checks.push_back(compiled(name, *made, facts));
  if (made->worked && path.ends_with(".hip")) checks.push_back(run_of_hip(name));
  if (!made->worked || !path.ends_with(".cu")) return checks;
  Result<Fatbin> fatbin = read_fatbin_file(made->library);
  if (!fatbin) return fatbin.error();
  for (FileCheck& check : check_code(name, *fatbin, facts.driver))
    checks.push_back(std::move(check));
  return checks;
}

}  // namespace tactus
