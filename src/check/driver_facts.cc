// The driver and its libraries are loaded in a worker: a broken one must not crash the tool, and a
// process that has started CUDA cannot start workers that use it.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <sstream>

#include "bench/worker/worker_process.h"
#include "check/machine_facts.h"

namespace tactus {
namespace {

constexpr int kComputeCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kComputeCapabilityMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
constexpr double kDriverPatienceSeconds = 60;

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

std::string error_words(void* library, int error) {
  const auto get = symbol<int (*)(int, const char**)>(library, "cuGetErrorString");
  const char* words = nullptr;
  if (get == nullptr || get(error, &words) != 0 || words == nullptr) {
    return fmt::format("CUDA error {}", error);
  }
  return words;
}

std::string gpu_lines(void* library) {
  const auto count_of = symbol<int (*)(int*)>(library, "cuDeviceGetCount");
  const auto device_of = symbol<int (*)(int*, int)>(library, "cuDeviceGet");
  const auto name_of = symbol<int (*)(char*, int, int)>(library, "cuDeviceGetName");
  const auto attribute = symbol<int (*)(int*, int, int)>(library, "cuDeviceGetAttribute");
  if (!count_of || !device_of || !name_of || !attribute) return {};
  int count = 0;
  count_of(&count);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    int device = 0;
    int major = 0;
    int minor = 0;
    char name[128] = "";
    if (device_of(&device, i) != 0) continue;
    name_of(name, sizeof name, device);
    attribute(&major, kComputeCapabilityMajor, device);
    attribute(&minor, kComputeCapabilityMinor, device);
    lines += fmt::format("gpu {} {}\n", major * 10 + minor, name);
  }
  return lines;
}

std::string cuda_lines() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  std::string lines = "cuda\n";
  const auto version_of = symbol<int (*)(int*)>(library, "cuDriverGetVersion");
  const auto start = symbol<int (*)(unsigned)>(library, "cuInit");
  int version = 0;
  if (version_of != nullptr && version_of(&version) == 0)
    lines += fmt::format("speaks {}\n", version);
  const int error = start == nullptr ? -1 : start(0);
  if (error != 0) return lines + fmt::format("complaint {}\n", error_words(library, error));
  return lines + gpu_lines(library);
}

std::string nvml_lines() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  std::string lines = "nvml\n";
  const auto start = symbol<int (*)()>(library, "nvmlInit_v2");
  const auto words = symbol<const char* (*)(int)>(library, "nvmlErrorString");
  const auto release = symbol<int (*)(char*, unsigned)>(library, "nvmlSystemGetDriverVersion");
  const int error = start == nullptr ? -1 : start();
  if (error != 0) {
    return lines + fmt::format("nvml_complaint {}\n", words ? words(error) : "it is too old");
  }
  char text[96] = "";
  if (release != nullptr && release(text, sizeof text) == 0)
    lines += fmt::format("release {}\n", text);
  return lines;
}

std::string cublaslt_lines() {
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
    void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    const auto version_of = symbol<std::size_t (*)()>(library, "cublasLtGetVersion");
    const std::size_t version = version_of == nullptr ? 0 : version_of();
    return fmt::format("cublaslt {}.{}.{}\n", version / 10000, version / 100 % 100, version % 100);
  }
  return {};
}

void take(DriverFacts& facts, const std::string& key, const std::string& value) {
  if (key == "cuda") facts.loaded = true;
  if (key == "speaks") facts.version = std::atoi(value.c_str());
  if (key == "complaint") facts.complaint = value;
  if (key == "nvml") facts.nvml_loaded = true;
  if (key == "nvml_complaint") facts.nvml_complaint = value;
  if (key == "release") facts.release = value;
  if (key == "cublaslt") facts.cublaslt = value;
  if (key == "gpu") {
    const std::size_t space = std::min(value.find(' '), value.size());
    facts.gpus.push_back({.name = space < value.size() ? value.substr(space + 1) : "unknown GPU",
                          .capability = std::atoi(value.c_str())});
  }
}

}  // namespace

DriverFacts read_driver() {
  DriverFacts facts;
  Result<WorkerProcess> worker = WorkerProcess::start([](const Channel& channel) {
    // One answer per library, so that a crash does not hide earlier answers.
    for (std::string (*ask)() : {cublaslt_lines, nvml_lines, cuda_lines}) {
      if (!channel.receive(kDriverPatienceSeconds).frame) return;
      const std::string lines = ask();
      const auto* bytes = reinterpret_cast<const std::byte*>(lines.data());
      if (!channel.send(Frame(bytes, bytes + lines.size()))) return;
    }
  });
  if (!worker) {
    facts.complaint = worker.error().message;
    return facts;
  }
  for (int question = 0; question < 3; ++question) {
    const Result<Frame> frame = worker->ask(Frame(1), kDriverPatienceSeconds);
    if (!frame) {
      facts.loaded = true;
      facts.complaint = "loading it ended the process that asked: " + frame.error().message;
      return facts;
    }
    std::istringstream lines(
        std::string(reinterpret_cast<const char*>(frame->data()), frame->size()));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = std::min(line.find(' '), line.size());
      take(facts, line.substr(0, space), space < line.size() ? line.substr(space + 1) : "");
    }
  }
  return facts;
}

}  // namespace tactus
