// The driver's calls that the agent itself makes, and the functions behind its hooks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tactus::agent {

using Handle = void*;  // CUstream, CUfunction, CUevent, CUgraph, ...

inline constexpr int kSuccess = 0;
inline constexpr int kNotInitialized = 3;
inline constexpr int kNotReady = 600;

/// The real dlsym; nothing of the agent is found by it that the driver has, too.
void* find_symbol(void* library, const char* name);

/// The function that a hook stands for.
template <class F>
class Original;
template <class... Args>
class Original<int(Args...)> {
 public:
  using Function = int (*)(Args...);

  constexpr explicit Original(const char* symbol) : symbol_(symbol) {}

  /// Null if the program has no driver.
  Function get() {
    void* found = address.load(std::memory_order_relaxed);
    return reinterpret_cast<Function>(found != nullptr ? found : find());
  }

  std::atomic<void*> address = nullptr;

 private:
  void* find();

  const char* symbol_;
};

/// For a program or a library that is linked against another one: the function that a hook hides,
/// if the whole program can see it.
void* find_hidden(const char* symbol);
/// The driver's function that a hook hides, also if only one library of the program sees the
/// driver.
void* find_hidden_in_driver(const char* symbol);

template <class... Args>
void* Original<int(Args...)>::find() {
  void* found = find_hidden_in_driver(symbol_);
  address.store(found, std::memory_order_relaxed);
  return found;
}

/// What the agent asks the driver for. All may be null.
struct DriverCalls {
  int (*func_get_name)(const char**, Handle);
  int (*kernel_get_name)(const char**, Handle);
  int (*ctx_get_device)(int*);
  int (*ctx_get_current)(Handle*);
  int (*primary_ctx_get_state)(int, unsigned*, int*);
  int (*device_get_name)(char*, int, int);
  int (*device_get_uuid)(unsigned char*, int);
  int (*stream_is_capturing)(Handle, int*);
  int (*stream_is_capturing_ptsz)(Handle, int*);
  int (*exchange_capture_mode)(int*);
  int (*event_create)(Handle*, unsigned);
  int (*event_destroy)(Handle);
  int (*event_record)(Handle, Handle);
  int (*event_record_ptsz)(Handle, Handle);
  int (*event_query)(Handle);
  int (*event_elapsed)(float*, Handle, Handle);
  int (*graph_get_nodes)(Handle, Handle*, std::size_t*);
};

/// Found once the driver is loaded.
const DriverCalls& driver_calls();

}  // namespace tactus::agent
