#include "bench/candidate/candidate_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "bench/candidate/binding.h"
#include "bench/candidate/embedded_header.h"
#include "bench/candidate/subprocess.h"
#include "bench/device/cuda_facts.h"
#include "bench/device/hip_driver.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr double kCompileSeconds = 300;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Whatever it is called: its first bytes say so.
bool is_library(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char head[4] = {};
  file.read(head, sizeof head);
  return file.gcount() == sizeof head && std::string_view(head, sizeof head) ==
                                             "\x7f"
                                             "ELF";
}

Status write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return broke_error(fmt::format("cannot write {}", path.string()));
  return {};
}

/// sm_80 if there is no device to ask.
std::string architecture_of(int ordinal) {
  const Result<CudaFacts> facts = cuda_facts(ordinal);
  return facts ? facts->architecture : "sm_80";
}

Result<std::vector<std::string>> compile_command(const std::string& source, int ordinal,
                                                 const BuildFolder& folder) {
  const std::string include = "-I" + folder.path() + "/include";
  if (ends_with(source, ".cu")) {
    const std::string nvcc = program_path("nvcc");
    if (nvcc.empty()) {
      return input_error(fmt::format("{} needs nvcc on the PATH (CUDA toolkit)", source));
    }
    const Result<std::string> host = host_compiler_for_nvcc(nvcc, folder);
    if (!host) return host.error();
    return std::vector<std::string>{
        nvcc,     "-O3",  "-std=c++17", "-arch=" + architecture_of(ordinal),
        "-ccbin", *host,  "-shared",    "-Xcompiler",
        "-fPIC",  include};
  }
  if (ends_with(source, ".hip")) {
    const std::string hipcc = program_path("hipcc");
    if (hipcc.empty()) {
      return input_error(fmt::format("{} needs hipcc on the PATH (Debian: hipcc)", source));
    }
    std::vector<std::string> command = {hipcc, "-O3", "-std=c++17", "-shared", "-fPIC", include};
    // With a GPU hipcc asks it. The most common one of data centres else.
    if (!count_amd_gpus()) command.emplace_back("--offload-arch=gfx90a");
    return command;
  }
  std::string compiler = program_path("g++");
  if (compiler.empty()) compiler = program_path("clang++");
  if (compiler.empty()) return input_error(fmt::format("{} needs g++ on the PATH", source));
  return std::vector<std::string>{compiler,  "-O3",   "-std=c++20", "-march=native",
                                  "-shared", "-fPIC", include};
}

Result<std::string> compile(const std::string& source, int ordinal, const BuildFolder& folder) {
  Result<Compilation> compilation = compile_candidate(source, ordinal, folder);
  if (!compilation) return compilation.error();
  if (!compilation->worked) {
    return input_error(fmt::format("{} does not compile:\n{}", source, compilation->text));
  }
  return std::move(compilation->library);
}

}  // namespace

Result<BuildFolder> BuildFolder::make() {
  std::error_code error;
  std::string path = (fs::temp_directory_path(error) / "tactus-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) {
    return broke_error(
        fmt::format("cannot make a folder to build in ({}): {}", path, std::strerror(errno)));
  }
  return BuildFolder(std::move(path));
}

Result<Compilation> compile_candidate(const std::string& source, int ordinal,
                                      const BuildFolder& folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder.path()) / "include/tactus", error);
  const Status written =
      write_file(fs::path(folder.path()) / "include/tactus/operator.h", embedded_operator_header());
  if (!written) return written.error();
  Result<std::vector<std::string>> command = compile_command(source, ordinal, folder);
  if (!command) return command.error();
  Compilation made;
  made.library = folder.path() + "/" + fs::path(source).stem().string() + ".so";
  made.command = std::move(*command);
  made.command.insert(made.command.end(), {"-o", made.library, source});
  Result<ProgramOutput> output = run_program(made.command, kCompileSeconds);
  if (!output) return output.error();
  made.worked = output->exit_code == 0;
  made.text = std::move(output->text);
  return made;
}

Result<std::string> host_compiler_for_nvcc(const std::string& nvcc, const BuildFolder& folder) {
  const std::string probe = folder.path() + "/probe.cu";
  const Status written = write_file(probe, "#include <cstddef>\n__global__ void probe() {}\n");
  if (!written) return written.error();
  std::string complaint;
  for (const char* name : {"g++", "g++-15", "g++-14", "g++-13", "g++-12", "g++-11", "clang++"}) {
    const std::string compiler = program_path(name);
    if (compiler.empty()) continue;
    const Result<ProgramOutput> output = run_program(
        {nvcc, "-ccbin", compiler, "-c", "-o", folder.path() + "/probe.o", probe}, kCompileSeconds);
    if (!output) return output.error();
    if (output->exit_code == 0) return compiler;
    if (complaint.empty()) complaint = output->text;
  }
  if (complaint.empty()) return input_error("nvcc needs a host compiler: install g++");
  return input_error(
      fmt::format("nvcc accepts none of the host compilers here; it says:\n{}", complaint));
}

std::string cuda_library_path() {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const char* place : {"libtactus_cuda.so", "src/libtactus_cuda.so",
                            "../lib/libtactus_cuda.so", "../lib/tactus/libtactus_cuda.so"}) {
    const fs::path file = tool.parent_path() / place;
    if (fs::exists(file, error)) return file.lexically_normal().string();
  }
  return {};
}

Result<Candidate> find_candidate(const std::string& named, tactus_device device, int ordinal,
                                 const BuildFolder& folder) {
  Candidate candidate;
  candidate.name = named;
  candidate.device = device;
  candidate.ordinal = ordinal;
  if (named == "reference") {
    if (device != TACTUS_CPU) return usage_error("the reference runs on --device cpu");
    candidate.kind = Candidate::Kind::kReference;
    return candidate;
  }
  if (named == "cpu") {
    if (device != TACTUS_CPU) return usage_error("candidate cpu runs on --device cpu");
    return candidate;
  }
  candidate.kind = Candidate::Kind::kLibrary;
  if (named == "cuda") {
    if (device != TACTUS_CUDA) return usage_error("candidate cuda runs on --device cuda");
    candidate.path = cuda_library_path();
    if (candidate.path.empty()) {
      return input_error(
          "this tactus was built without a CUDA toolkit: libtactus_cuda.so is missing");
    }
    return candidate;
  }
  std::error_code error;
  if (!fs::exists(named, error)) {
    return usage_error(
        fmt::format("no candidate {}: it is neither cpu, cuda or reference nor a file", named));
  }
  candidate.name = fs::path(named).filename().string();
  if (ends_with(named, ".cu") || ends_with(named, ".cpp") || ends_with(named, ".cc")) {
    const Result<std::string> library = compile(named, ordinal, folder);
    if (!library) return library.error();
    candidate.path = *library;
    return candidate;
  }
  if (ends_with(named, ".hip")) {
    const Result<std::string> library = compile(named, ordinal, folder);
    if (!library) return library.error();
    const Result<int> gpus = count_amd_gpus();
    return input_error(fmt::format(
        "{} was built with hipcc and cannot be run: {}", named,
        gpus ? "kernels on AMD GPUs are only built by this version" : gpus.error().message));
  }
  if (ends_with(named, ".json")) {
    const Result<std::string> source = source_of_binding(named, device);
    if (!source) return source.error();
    const std::string path =
        fmt::format("{}/{}.cpp", folder.path(), fs::path(named).stem().string());
    if (const Status written = write_file(path, *source); !written) return written.error();
    const Result<std::string> library = compile(path, ordinal, folder);
    if (!library) return library.error();
    candidate.path = *library;
    return candidate;
  }
  candidate.path = named;
  if (ends_with(named, ".py")) {
    candidate.kind = Candidate::Kind::kPython;
  } else if (!is_library(named)) {
    return usage_error(named +
                       ": is not a candidate; give a source (.cpp, .cc, .cu, .hip, .py), a library "
                       "(.so) or a binding (.json)");
  }
  return candidate;
}

}  // namespace tactus
