#include "standin/device.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace standin {
namespace {

struct Devices {
  std::mutex lock;
  bool is_ready = false;
  std::vector<Device*> list;
};

Devices& devices() {
  static Devices* const all = new Devices;
  return *all;
}

std::atomic<bool> forked = false;
thread_local std::vector<Device*> contexts;  // the stack of the thread; the last one is current

const char* device_name() {
  const char* name = std::getenv("STANDIN_DEVICE_NAME");
  return name != nullptr ? name : "NVIDIA H200";
}

/// The ids are those of CUdevice_attribute; 0 for what nobody asked for so far.
int attribute(int id, int device) {
  switch (id) {
    case 1: return 1024;   // threads per block
    case 8: return 49152;  // shared memory per block
    case 2:
    case 3: return 1024;        // size of a block, x and y
    case 4: return 64;          // and z
    case 5: return 2147483647;  // size of a grid, x
    case 6:
    case 7: return 65535;           // y and z
    case 10: return 32;             // warp size
    case 12: return 65536;          // registers per block
    case 13: return 1'980'000;      // clock [kHz]
    case 16: return 132;            // multiprocessors
    case 33: return 0x10 + device;  // PCI bus
    case 36: return 3'201'000;      // memory clock [kHz]
    case 37: return 6144;           // memory bus [bits]
    case 38: return 60 << 20;       // level 2 cache
    case 39: return 2048;           // threads per multiprocessor
    case 41: return 1;              // unified addressing
    case 75: return 9;              // compute capability 9.0
    case 76: return 0;
    case 19: return 1;            // host memory can be mapped
    case 81: return 232'448;      // shared memory per multiprocessor
    case 82: return 65536;        // registers per multiprocessor
    case 95: return 1;            // cooperative launches
    case 97: return 232'448;      // shared memory per block, opt-in
    case 102: return 1;           // virtual memory
    case 108: return 39'321'600;  // persisting level 2 cache
    default: return 0;
  }
}

}  // namespace

bool is_forked_child() {
  return forked;
}

Device* find_device(int number) {
  Devices& all = devices();
  const std::lock_guard lock(all.lock);
  if (!all.is_ready || number < 0 || static_cast<std::size_t>(number) >= all.list.size()) {
    return nullptr;
  }
  return all.list[static_cast<std::size_t>(number)];
}

Device* current_device() {
  return contexts.empty() || forked ? nullptr : contexts.back();
}

}  // namespace standin

using standin::Device;
using namespace standin;

STANDIN_SHOWN int cuInit(unsigned) {
  if (forked) return kNotInitialized;
  Devices& all = devices();
  const std::lock_guard lock(all.lock);
  if (all.is_ready) return kSuccess;
  const char* count = std::getenv("STANDIN_DEVICES");
  for (int i = 0; i < (count != nullptr ? std::atoi(count) : 1); ++i) {
    auto* device = new Device;
    device->number = i;
    device->legacy_stream = new Stream;
    device->legacy_stream->device = device;
    device->legacy_stream->is_legacy = true;
    device->legacy_stream->waits_for_legacy = false;
    all.list.push_back(device);
  }
  all.is_ready = true;
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
  return kSuccess;
}

STANDIN_SHOWN int cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}

STANDIN_SHOWN int cuDeviceGetCount(int* count) {
  Devices& all = devices();
  const std::lock_guard lock(all.lock);
  if (!all.is_ready || forked) return kNotInitialized;
  *count = static_cast<int>(all.list.size());
  return kSuccess;
}

STANDIN_SHOWN int cuDeviceGet(int* device, int number) {
  if (find_device(number) == nullptr) return kInvalidDevice;
  *device = number;
  return kSuccess;
}

STANDIN_SHOWN int cuDeviceGetName(char* name, int length, int device) {
  if (find_device(device) == nullptr) return kInvalidDevice;
  if (length <= 0) return kInvalidValue;
  std::snprintf(name, static_cast<std::size_t>(length), "%s", device_name());
  return kSuccess;
}

STANDIN_SHOWN int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  if (find_device(device) == nullptr) return kInvalidDevice;
  std::memset(uuid, 0x5a, 16);
  uuid[15] = static_cast<unsigned char>(device);
  return kSuccess;
}

STANDIN_SHOWN int cuDeviceGetUuid(unsigned char* uuid, int device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

STANDIN_SHOWN int cuDeviceGetPCIBusId(char* id, int length, int device) {
  if (find_device(device) == nullptr) return kInvalidDevice;
  if (length <= 0) return kInvalidValue;
  std::snprintf(id, static_cast<std::size_t>(length), "0000:%02X:00.0", 0x10 + device);
  return kSuccess;
}

STANDIN_SHOWN int cuDeviceGetAttribute(int* value, int id, int device) {
  if (find_device(device) == nullptr) return kInvalidDevice;
  *value = attribute(id, device);
  return kSuccess;
}

STANDIN_SHOWN int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  if (find_device(device) == nullptr) return kInvalidDevice;
  *bytes = kDeviceBytes;
  return kSuccess;
}

STANDIN_SHOWN int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  const Device* device = current_device();
  if (device == nullptr) return kInvalidContext;
  *total = kDeviceBytes;
  *free = kDeviceBytes - device->used_bytes;
  return kSuccess;
}

STANDIN_SHOWN int cuDevicePrimaryCtxRetain(Device** context, int device) {
  *context = find_device(device);
  return *context != nullptr && !forked ? kSuccess : kInvalidDevice;
}

STANDIN_SHOWN int cuDevicePrimaryCtxRelease_v2(int device) {
  return find_device(device) != nullptr ? kSuccess : kInvalidDevice;
}

STANDIN_SHOWN int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  if (find_device(device) == nullptr) return kInvalidDevice;
  *flags = 0;
  *active = 1;
  return kSuccess;
}

STANDIN_SHOWN int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned) {
  return find_device(device) != nullptr ? kSuccess : kInvalidDevice;
}

STANDIN_SHOWN int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  if (find_device(device) == nullptr || find_device(peer) == nullptr) return kInvalidDevice;
  *can = device != peer ? 1 : 0;  // all memory is the host's
  return kSuccess;
}

STANDIN_SHOWN int cuCtxEnablePeerAccess(Device* peer, unsigned) {
  return current_device() == nullptr || peer == nullptr ? kInvalidContext : kSuccess;
}

STANDIN_SHOWN int cuCtxSetCurrent(Device* context) {
  if (!contexts.empty()) contexts.pop_back();
  if (context != nullptr) contexts.push_back(context);
  return kSuccess;
}

STANDIN_SHOWN int cuCtxGetCurrent(Device** context) {
  *context = current_device();
  return kSuccess;
}

STANDIN_SHOWN int cuCtxPushCurrent_v2(Device* context) {
  contexts.push_back(context);
  return kSuccess;
}

STANDIN_SHOWN int cuCtxPopCurrent_v2(Device** context) {
  if (contexts.empty()) return kInvalidContext;
  if (context != nullptr) *context = contexts.back();
  contexts.pop_back();
  return kSuccess;
}

STANDIN_SHOWN int cuCtxGetDevice(int* device) {
  const Device* current = current_device();
  if (current == nullptr) return kInvalidContext;
  *device = current->number;
  return kSuccess;
}

STANDIN_SHOWN int cuCtxSynchronize() {
  const Device* device = current_device();
  if (device == nullptr) return kInvalidContext;
  wait_for_all_streams(*device);
  return kSuccess;
}

STANDIN_SHOWN int cuCtxGetLimit(std::size_t* value, int) {
  *value = 0;
  return current_device() != nullptr ? kSuccess : kInvalidContext;
}

STANDIN_SHOWN int cuCtxSetLimit(int, std::size_t) {
  return current_device() != nullptr ? kSuccess : kInvalidContext;
}

STANDIN_SHOWN int cuCtxResetPersistingL2Cache() {
  return current_device() != nullptr ? kSuccess : kInvalidContext;
}
