#include "bench/candidate/kernel_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "bench/candidate/allocation_count.h"

namespace tactus {

Result<KernelLibrary> KernelLibrary::open(const std::string& path) {
  // A name without a slash would be searched elsewhere.
  const std::string absolute = std::filesystem::absolute(path).string();
  void* opened = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return input_error(fmt::format("cannot load {}: {}", path, dlerror()));
  std::shared_ptr<void> handle(opened, [](void* h) { dlclose(h); });
  using GetLibrary = const tactus_library_v1* (*)();
  const auto get = reinterpret_cast<GetLibrary>(dlsym(opened, "tactus_library"));
  if (get == nullptr) {
    return input_error(fmt::format(
        "{} exports no tactus_library(); see include/tactus/operator.h, or `tactus bench --new`",
        path));
  }
  const tactus_library_v1* library = get();
  if (library == nullptr) return input_error(fmt::format("tactus_library() of {} is null", path));
  if (library->abi_version != TACTUS_ABI_VERSION) {
    return input_error(
        fmt::format("{} was built for version {} of the interface, this is {}: build "
                    "it again with include/tactus/operator.h of this version",
                    path, library->abi_version, TACTUS_ABI_VERSION));
  }
  if (library->size < sizeof(tactus_library_v1) || library->entries == nullptr ||
      library->entry_count <= 0) {
    return input_error(fmt::format("{} has no operators in it", path));
  }
  return KernelLibrary(std::move(handle), *library);
}

void KernelLibrary::count_allocations() const {
  if (handle_) count_allocations_of(handle_.get());
}

const tactus_entry* KernelLibrary::find(const std::string& operator_name,
                                        tactus_device device) const {
  for (std::int32_t i = 0; i < library_->entry_count; ++i) {
    const tactus_entry& entry = library_->entries[i];
    if (entry.operator_name != nullptr && operator_name == entry.operator_name &&
        entry.device == device && entry.run != nullptr) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace tactus
