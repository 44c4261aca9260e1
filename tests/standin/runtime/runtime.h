// Parts of the stand-in of the CUDA runtime. It knows the driver only by what a program can ask it
// for, as NVIDIA's does.
#pragma once

#include <cstddef>
#include <cstdint>

#define RUNTIME_SHOWN extern "C" __attribute__((visibility("default")))

namespace runtime {

using Handle = void*;
using Address = std::uint64_t;

struct Size3 {  ///< dim3
  unsigned x, y, z;
};

// Values of cudaError_t; those of the driver are the same numbers.
inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;
inline constexpr int kInitialisationFailed = 3;
inline constexpr int kInvalidDeviceFunction = 98;
inline constexpr int kInvalidConfiguration = 9;
inline constexpr int kInsufficientDriver = 35;

/// A call of the driver, by cuGetProcAddress; null: it has none of that name.
void* find_call(const char* name);

/// Calls the driver. The value is that of the call.
template <class... Args>
int call(const char* name, void*& found, Args... args) {
  if (found == nullptr) found = find_call(name);
  if (found == nullptr) return kInsufficientDriver;
  return reinterpret_cast<int (*)(Args...)>(found)(args...);
}

/// Remembers an error for cudaGetLastError.
int remember(int result);
/// The context of the thread's device is current from here on.
int enter();
int device_of_thread();

/// The driver's handle of what a program launches by the address of its host function.
int find_kernel(const void* host_function, Handle& kernel);

}  // namespace runtime

/// A driver's call, found once per place.
#define DRIVER(name, ...)                                                \
  [&] {                                                                  \
    static void* driver_call = nullptr;                                  \
    return runtime::call(#name, driver_call __VA_OPT__(, ) __VA_ARGS__); \
  }()

/// The same with a context, and an error is remembered.
#define IN_CONTEXT(name, ...)                                                                     \
  [&] {                                                                                           \
    const int entered = runtime::enter();                                                         \
    return runtime::remember(entered != runtime::kSuccess ? entered : DRIVER(name, __VA_ARGS__)); \
  }()
