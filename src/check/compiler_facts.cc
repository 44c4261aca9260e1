#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "bench/candidate/candidate_build.h"
#include "bench/candidate/subprocess.h"
#include "check/machine_facts.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr double kPatienceSeconds = 20;

std::vector<std::string> folders_of(const MachineRoots& roots) {
  const char* variable = std::getenv("PATH");
  const std::string path = !roots.path.empty() ? roots.path : variable == nullptr ? "" : variable;
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) folders.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

std::string first_match(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

std::string version_of(const std::string& program, const char* flag, const char* pattern) {
  const Result<ProgramOutput> output = run_program({program, flag}, kPatienceSeconds);
  return output && output->exit_code == 0 ? first_match(output->text, pattern) : "";
}

/// Every program of that name on the PATH; links to the same file count once.
std::vector<FoundProgram> programs(const MachineRoots& roots, const char* name, const char* flag,
                                   const char* pattern) {
  std::vector<FoundProgram> found;
  std::vector<std::string> real;
  for (const std::string& folder : folders_of(roots)) {
    const std::string file = folder + "/" + name;
    std::error_code error;
    if (access(file.c_str(), X_OK) != 0 || fs::is_directory(file, error)) continue;
    const std::string leads_to = fs::canonical(file, error).string();
    if (error || std::find(real.begin(), real.end(), leads_to) != real.end()) continue;
    real.push_back(leads_to);
    found.push_back({.path = file, .version = version_of(file, flag, pattern)});
  }
  return found;
}

/// The line `#if __GNUC__ > 15` in the toolkit, before its error for a newer compiler.
int newest_gcc_of(const std::string& nvcc) {
  // nvcc may be a script that calls the real one; only the real one knows its folder.
  const Result<ProgramOutput> output =
      run_program({nvcc, "--dryrun", "-E", "-x", "cu", "/dev/null"}, kPatienceSeconds);
  std::vector<std::string> tops;
  if (output) tops.push_back(first_match(output->text, "_HERE_=(\\S+)"));
  std::error_code error;
  tops.push_back(fs::canonical(nvcc, error).parent_path().string());
  tops.emplace_back("/usr/bin");  // distributions put its headers there
  for (const std::string& top : tops) {
    if (top.empty()) continue;
    std::ifstream header(top + "/../include/crt/host_config.h");
    for (std::string line; std::getline(header, line);) {
      const std::string limit = first_match(line, "^#if __GNUC__ > ([0-9]{1,3})\\b");
      if (!limit.empty()) return std::atoi(limit.c_str());
    }
  }
  return 0;
}

/// 13000 of "13.0".
int cuda_version(const std::string& text) {
  int major = 0;
  int minor = 0;
  if (std::sscanf(text.c_str(), "%d.%d", &major, &minor) < 1) return 0;
  return major * 1000 + minor * 10;
}

std::string nvcc_off_the_path() {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* folder = std::getenv(variable);
    if (folder == nullptr) continue;
    std::string file = std::string(folder) + "/bin/nvcc";
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return access("/usr/local/cuda/bin/nvcc", X_OK) == 0 ? "/usr/local/cuda/bin/nvcc" : "";
}

void try_compilers(CompilerFacts& facts) {
  const Result<BuildFolder> folder = BuildFolder::make();
  if (!folder) {
    facts.complaint = folder.error().message;
    return;
  }
  const Result<std::string> host = host_compiler_for_nvcc(facts.nvcc.front().path, *folder);
  if (host) {
    facts.host_compiler = *host;
  } else {
    facts.complaint = host.error().message;
  }
}

}  // namespace

CompilerFacts read_compilers(const MachineRoots& roots, bool try_nvcc) {
  CompilerFacts facts;
  facts.nvcc = programs(roots, "nvcc", "--version", "release ([0-9.]+)");
  facts.gxx = programs(roots, "g++", "-dumpfullversion", "^([0-9.]+)");
  if (facts.nvcc.empty()) {
    facts.nvcc_elsewhere = nvcc_off_the_path();
    return facts;
  }
  facts.toolkit = cuda_version(facts.nvcc.front().version);
  facts.newest_gcc = newest_gcc_of(facts.nvcc.front().path);
  if (try_nvcc) try_compilers(facts);
  return facts;
}

}  // namespace tactus
