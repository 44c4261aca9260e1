// Modules and libraries: where kernels come from.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>

#include "standin/cost.h"
#include "standin/device.h"
#include "standin/work.h"

namespace standin {
namespace {

constexpr const char* kHostImage = "STANDIN";

/// CUmodule and CUlibrary.
struct Module {
  bool has_host_code = false;
  std::vector<void*> libraries;
  std::map<std::string, std::vector<std::size_t>> sizes;
  std::mutex lock;
  std::map<std::string, Function> functions;
};

void read_image(Module& module, const char* text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    std::string name;
    words >> what >> name;
    if (what == "library") {
      if (void* library = dlopen(name.c_str(), RTLD_NOW)) module.libraries.push_back(library);
    } else if (what == "kernel") {
      std::vector<std::size_t>& sizes = module.sizes[name];
      for (std::size_t size = 0; words >> size;) sizes.push_back(size);
    }
  }
}

void* find_symbol(const Module& module, const std::string& name) {
  for (void* library : module.libraries) {
    if (void* found = dlsym(library, name.c_str())) return found;
  }
  return dlsym(RTLD_DEFAULT, name.c_str());
}

/// The time of a scripted kernel [us]; nothing if nobody scripted it.
bool scripted_us(const std::string& name, double& duration_us) {
  constexpr const char* kPrefix = "sleep_us_";
  if (name.rfind(kPrefix, 0) == 0) {
    duration_us = std::atof(name.c_str() + std::strlen(kPrefix));
    return true;
  }
  const char* table = std::getenv("STANDIN_KERNELS");
  std::istringstream entries(table != nullptr ? table : "");
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t equals = entry.rfind('=');
    if (equals == std::string::npos || entry.substr(0, equals) != name) continue;
    duration_us = std::atof(entry.c_str() + equals + 1);
    return true;
  }
  duration_us = 1;
  return false;
}

int find_function(Module& module, const std::string& name, Function** function) {
  const std::lock_guard lock(module.lock);
  const auto [at, is_new] = module.functions.try_emplace(name);
  *function = &at->second;
  if (!is_new) return kSuccess;
  Function& made = at->second;
  made.name = name;
  made.module = &module;
  double duration_us = 0;
  const bool is_scripted = scripted_us(name, duration_us);
  made.duration_ns = static_cast<std::int64_t>(duration_us * 1000);
  if (!is_scripted) set_cost(made);
  if (const auto sizes = module.sizes.find(name); sizes != module.sizes.end()) {
    made.sizes = sizes->second;
  } else if (module.has_host_code) {
    const auto* exported = static_cast<unsigned*>(find_symbol(module, name + "_sizes"));
    for (; exported != nullptr && *exported != 0; ++exported) made.sizes.push_back(*exported);
  }
  if (!module.has_host_code || is_scripted) return kSuccess;
  made.code = reinterpret_cast<Kernel>(find_symbol(module, name));
  if (made.code != nullptr) return kSuccess;
  module.functions.erase(at);
  return kNotFound;
}

int load(Module** module, const void* image) {
  if (current_device() == nullptr) return kInvalidContext;
  *module = new Module;
  (*module)->has_host_code = std::strncmp(static_cast<const char*>(image), kHostImage, 7) == 0;
  if ((*module)->has_host_code) read_image(**module, static_cast<const char*>(image));
  // For images of others: their kernels as functions.
  const char* library = std::getenv("TACTUS_FAKE_KERNELS");
  if (!(*module)->has_host_code && library != nullptr) {
    (*module)->has_host_code = true;
    if (void* opened = dlopen(library, RTLD_NOW)) (*module)->libraries.push_back(opened);
  }
  return kSuccess;
}

}  // namespace
}  // namespace standin

using namespace standin;

STANDIN_SHOWN int cuModuleLoadData(void** module, const void* image) {
  return load(reinterpret_cast<Module**>(module), image);
}

STANDIN_SHOWN int cuModuleLoadDataEx(void** module, const void* image, unsigned, void*, void**) {
  return load(reinterpret_cast<Module**>(module), image);
}

STANDIN_SHOWN int cuModuleUnload(void* module) {
  const Device* device = current_device();
  if (device == nullptr) return kInvalidContext;
  wait_for_all_streams(*device);
  delete static_cast<Module*>(module);
  return kSuccess;
}

STANDIN_SHOWN int cuModuleGetFunction(Function** function, void* module, const char* name) {
  return find_function(*static_cast<Module*>(module), name, function);
}

STANDIN_SHOWN int cuLibraryLoadData(void** library, const void* code, void*, void**, unsigned,
                                    void*, void**, unsigned) {
  return load(reinterpret_cast<Module**>(library), code);
}

STANDIN_SHOWN int cuLibraryUnload(void* library) {
  return cuModuleUnload(library);
}

STANDIN_SHOWN int cuLibraryGetKernel(Function** kernel, void* library, const char* name) {
  return find_function(*static_cast<Module*>(library), name, kernel);
}

STANDIN_SHOWN int cuLibraryGetModule(void** module, void* library) {
  *module = library;
  return kSuccess;
}

STANDIN_SHOWN int cuKernelGetFunction(Function** function, Function* kernel) {
  *function = kernel;
  return kSuccess;
}

STANDIN_SHOWN int cuFuncGetName(const char** name, Function* function) {
  *name = function->name.c_str();
  return kSuccess;
}

STANDIN_SHOWN int cuKernelGetName(const char** name, Function* kernel) {
  return cuFuncGetName(name, kernel);
}

STANDIN_SHOWN int cuFuncGetModule(void** module, Function* function) {
  *module = function->module;
  return kSuccess;
}

STANDIN_SHOWN int cuFuncGetParamInfo(Function* function, std::size_t index, std::size_t* offset,
                                     std::size_t* size) {
  if (index >= function->sizes.size()) return kInvalidValue;
  std::size_t place = 0;
  for (std::size_t i = 0; i < index; ++i) place += function->sizes[i];
  *offset = place;
  if (size != nullptr) *size = function->sizes[index];
  return kSuccess;
}

STANDIN_SHOWN int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Function*,
                                                                       int threads, std::size_t,
                                                                       unsigned) {
  if (threads <= 0) return kInvalidValue;
  *blocks = 2048 / threads;  // threads per multiprocessor
  return kSuccess;
}

STANDIN_SHOWN int cuFuncGetAttribute(int* value, int id, Function*) {
  switch (id) {
    case 0: *value = 1024; break;  // threads per block
    case 4: *value = 32; break;    // registers
    case 5:
    case 6: *value = 90; break;  // version of the code
    default: *value = 0;
  }
  return kSuccess;
}

STANDIN_SHOWN int cuFuncSetAttribute(Function*, int, int) {
  return kSuccess;
}

STANDIN_SHOWN int cuFuncSetCacheConfig(Function*, int) {
  return kSuccess;
}
