#include "hardware/measure_cuda.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "hardware/cuda/ceilings.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libtactus_cuda_ceilings.so";
constexpr std::string_view kFailed = "cannot measure the GPU: ";

/// In the order of TactusCudaType.
constexpr std::array<NumberType, TACTUS_CUDA_TYPES> kTypes = {
    NumberType::kFp64, NumberType::kFp32,    NumberType::kTf32, NumberType::kBf16,
    NumberType::kFp16, NumberType::kFp8E4m3, NumberType::kInt8};

std::vector<std::string> default_folders() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  return {own.string(), (own.parent_path() / "lib").string()};
}

/// The library stays loaded: unloading the CUDA runtime is not safe.
struct CeilingsLibrary {
  decltype(&tactus_cuda_device_v1) device = nullptr;
  decltype(&tactus_cuda_ceilings_v1) ceilings = nullptr;
};

Result<CeilingsLibrary> load_library(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const std::string path = folder + '/' + std::string(kLibrary);
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return usage_error(std::string(kFailed) + ::dlerror());
    CeilingsLibrary library;
    library.device =
        reinterpret_cast<decltype(library.device)>(::dlsym(handle, "tactus_cuda_device_v1"));
    library.ceilings =
        reinterpret_cast<decltype(library.ceilings)>(::dlsym(handle, "tactus_cuda_ceilings_v1"));
    if (library.device == nullptr || library.ceilings == nullptr) {
      return usage_error(std::string(kFailed) + path + " is from another version of tactus");
    }
    return library;
  }
  return usage_error(std::string(kFailed) + std::string(kLibrary) +
                     " is not next to this program; a build with nvcc on the PATH makes it");
}

std::string gigabytes(double bytes_per_s) {
  return std::to_string(std::llround(bytes_per_s / 1e9)) + " GB/s";
}

class CeilingsProfile {
 public:
  CeilingsProfile(const TactusCudaDevice& device, const TactusCudaCeilings& ceilings)
      : device_(device), ceilings_(ceilings) {}

  HardwareProfile profile(HardwareProfile out) const {
    const double memory = std::max(
        {ceilings_.read_bytes_per_s, ceilings_.write_bytes_per_s, ceilings_.copy_bytes_per_s});
    out.memory_bandwidth =
        *figure(memory, "measured: read " + gigabytes(ceilings_.read_bytes_per_s) + ", write " +
                            gigabytes(ceilings_.write_bytes_per_s) + ", copy " +
                            gigabytes(ceilings_.copy_bytes_per_s));
    out.memory_size = figure(device_.memory_bytes, "CUDA device properties");
    out.l2_size = figure(device_.l2_bytes, "CUDA device properties");
    out.l2_bandwidth = figure(ceilings_.l2_read_bytes_per_s, "measured: read");
    out.launch_floor_ns =
        figure(std::round(std::min(ceilings_.graph_launch_ns, ceilings_.stream_launch_ns)),
               "measured: empty kernels back to back, in a graph " +
                   nanoseconds(ceilings_.graph_launch_ns) + ", in a stream " +
                   nanoseconds(ceilings_.stream_launch_ns));
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      const auto type = static_cast<std::size_t>(kTypes[i]);
      out.tensor_flops[type] = figure(ceilings_.tensor_flops[i],
                                      "measured: cuBLASLt, large products of random matrices");
      out.vector_flops[type] = figure(ceilings_.vector_flops[i], "measured: multiply-add");
    }
    return out;
  }

 private:
  /// What was not measured has no figure.
  std::optional<Figure> figure(double value, std::string source) const {
    if (!std::isfinite(value) || value <= 0) return std::nullopt;
    return Figure{.value = value, .source = std::move(source), .date = date_};
  }

  static std::string nanoseconds(double ns) { return std::to_string(std::llround(ns)) + " ns"; }

  const TactusCudaDevice& device_;
  const TactusCudaCeilings& ceilings_;
  std::string date_ = today();
};

void report(void* context, unsigned done, unsigned total) {
  static_cast<Progress*>(context)->update("measuring the GPU", done, total);
}

}  // namespace

Result<HardwareProfile> measure_cuda(int device, Progress& progress, bool fresh,
                                     const CudaOptions& options, std::string* warning) {
  const auto library =
      load_library(options.library_folders.empty() ? default_folders() : options.library_folders);
  if (!library) return library.error();
  std::array<char, 512> error{};
  TactusCudaDevice found{};
  if (library->device(device, &found, error.data(), error.size()) != 0) {
    return usage_error(std::string(kFailed) + error.data());
  }
  HardwareProfile profile = {.name = found.name, .variant = "measured", .arch = found.arch};
  profile.device_names = {found.name};
  const std::string file = cache_file_name("cuda", found.name);
  if (!fresh) {
    if (auto cached = cached_profile(options.cache_folder, file, profile.name, profile.variant)) {
      return *std::move(cached);
    }
  }
  TactusCudaCeilings ceilings{};
  if (library->ceilings(device, report, &progress, &ceilings, error.data(), error.size()) != 0) {
    return broke_error(std::string(kFailed) + error.data());
  }
  if (std::max(ceilings.read_bytes_per_s, ceilings.copy_bytes_per_s) <= 0) {
    return broke_error(std::string(kFailed) + "the measured memory bandwidth is 0");
  }
  HardwareProfile measured = CeilingsProfile(found, ceilings).profile(std::move(profile));
  if (ceilings.without_tensor[0] != '\0') {
    // Not saved: it would hide the tensor peaks from every later call.
    if (warning != nullptr) {
      *warning =
          "the tensor peaks of the GPU were not measured: " + std::string(ceilings.without_tensor);
    }
    return measured;
  }
  const Status kept = keep_profile(options.cache_folder, file, measured);
  if (!kept && warning != nullptr) {
    *warning = "the GPU will be measured again the next time: " + kept.error().message;
  }
  return measured;
}

}  // namespace tactus
