// Memory whose addresses and bytes are asked for apart from each other, as pools of engines do.
#include <sys/mman.h>

#include <map>
#include <mutex>

#include "standin/device.h"

namespace standin {
namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;

/// CUmemGenericAllocationHandle: bytes without an address. Their pages come with the mapping.
struct Bytes {
  Device* device = nullptr;
  std::size_t size = 0;
};

struct Reserved {
  std::mutex lock;
  std::map<std::uintptr_t, std::size_t> ranges;
};

Reserved& reserved() {
  static Reserved* const all = new Reserved;
  return *all;
}

bool is_reserved(std::uintptr_t address, std::size_t size) {
  Reserved& all = reserved();
  const std::lock_guard lock(all.lock);
  auto range = all.ranges.upper_bound(address);
  if (range == all.ranges.begin()) return false;
  --range;
  return address + size <= range->first + range->second;
}

bool is_whole(std::size_t size) {
  return size != 0 && size % kGranularity == 0;
}

void* pointer(DevicePointer address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

}  // namespace

bool is_virtual(std::uintptr_t address) {
  return is_reserved(address, 1);
}

}  // namespace standin

using namespace standin;

STANDIN_SHOWN int cuMemGetAllocationGranularity(std::size_t* granularity, const AllocationProps*,
                                                int) {
  *granularity = kGranularity;
  return kSuccess;
}

STANDIN_SHOWN int cuMemAddressReserve(DevicePointer* address, std::size_t size, std::size_t,
                                      DevicePointer, unsigned long long) {
  if (!is_whole(size)) return kInvalidValue;
  void* range = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return kOutOfMemory;
  Reserved& all = reserved();
  const std::lock_guard lock(all.lock);
  all.ranges[reinterpret_cast<std::uintptr_t>(range)] = size;
  *address = reinterpret_cast<std::uintptr_t>(range);
  return kSuccess;
}

STANDIN_SHOWN int cuMemAddressFree(DevicePointer address, std::size_t size) {
  Reserved& all = reserved();
  const std::lock_guard lock(all.lock);
  const auto range = all.ranges.find(static_cast<std::uintptr_t>(address));
  if (range == all.ranges.end() || range->second != size) return kInvalidValue;
  munmap(pointer(address), size);
  all.ranges.erase(range);
  return kSuccess;
}

STANDIN_SHOWN int cuMemCreate(Bytes** handle, std::size_t size, const AllocationProps* props,
                              unsigned long long) {
  Device* device = find_device(props->location_id);
  if (device == nullptr) return kInvalidDevice;
  if (!is_whole(size)) return kInvalidValue;
  if (size > kDeviceBytes - device->used_bytes) return kOutOfMemory;
  device->used_bytes += size;
  *handle = new Bytes{.device = device, .size = size};
  return kSuccess;
}

STANDIN_SHOWN int cuMemRelease(Bytes* handle) {
  if (handle == nullptr) return kInvalidValue;
  handle->device->used_bytes -= handle->size;
  delete handle;
  return kSuccess;
}

STANDIN_SHOWN int cuMemMap(DevicePointer address, std::size_t size, std::size_t offset,
                           const Bytes* handle, unsigned long long) {
  if (handle == nullptr || offset != 0 || size > handle->size ||
      !is_reserved(static_cast<std::uintptr_t>(address), size)) {
    return kInvalidValue;
  }
  return kSuccess;
}

STANDIN_SHOWN int cuMemUnmap(DevicePointer address, std::size_t size) {
  if (!is_reserved(static_cast<std::uintptr_t>(address), size)) return kInvalidValue;
  wait_for_all_streams(*find_device(0));
  madvise(pointer(address), size, MADV_DONTNEED);
  return mprotect(pointer(address), size, PROT_NONE) == 0 ? kSuccess : kInvalidValue;
}

STANDIN_SHOWN int cuMemSetAccess(DevicePointer address, std::size_t size, const void*,
                                 std::size_t) {
  if (!is_reserved(static_cast<std::uintptr_t>(address), size)) return kInvalidValue;
  return mprotect(pointer(address), size, PROT_READ | PROT_WRITE) == 0 ? kSuccess : kOutOfMemory;
}
