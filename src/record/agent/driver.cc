#include "record/agent/driver.h"

#include <dlfcn.h>
#include <errno.h>

#include "record/agent/undisturbed.h"

namespace tactus::agent {
namespace {

DriverCalls calls;
std::atomic<int> calls_state = 0;  // 0: not looked for, 1: being looked for, 2: there

template <class F>
void look_up(void* library, F& function, const char* name) {
  function = reinterpret_cast<F>(find_symbol(library, name));
}

void find_calls(void* library) {
  look_up(library, calls.func_get_name, "cuFuncGetName");
  look_up(library, calls.kernel_get_name, "cuKernelGetName");
  look_up(library, calls.ctx_get_device, "cuCtxGetDevice");
  look_up(library, calls.ctx_get_current, "cuCtxGetCurrent");
  look_up(library, calls.primary_ctx_get_state, "cuDevicePrimaryCtxGetState");
  look_up(library, calls.device_get_name, "cuDeviceGetName");
  look_up(library, calls.device_get_uuid, "cuDeviceGetUuid_v2");
  look_up(library, calls.stream_is_capturing, "cuStreamIsCapturing");
  look_up(library, calls.stream_is_capturing_ptsz, "cuStreamIsCapturing_ptsz");
  look_up(library, calls.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
  look_up(library, calls.event_create, "cuEventCreate");
  look_up(library, calls.event_destroy, "cuEventDestroy_v2");
  look_up(library, calls.event_record, "cuEventRecord");
  look_up(library, calls.event_record_ptsz, "cuEventRecord_ptsz");
  look_up(library, calls.event_query, "cuEventQuery");
  look_up(library, calls.event_elapsed, "cuEventElapsedTime");
  look_up(library, calls.graph_get_nodes, "cuGraphGetNodes");
}

/// Another thread is looking for them. A launch that does not wait has no name. At most 50 ms: the
/// other one may need a lock of the loader that this one holds.
void wait_for_calls() {
  for (int i = 0; i < 1000 && calls_state.load(std::memory_order_acquire) == 1; ++i) {
    pause_for(50'000);
  }
}

/// Null if it is not loaded. It stays loaded from here on, whoever closes it: its calls are known.
void* loaded_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (library != nullptr) dlclose(library);
  return library;
}

}  // namespace

void* find_hidden_in_driver(const char* symbol) {
  const int saved_errno = errno;
  void* found = find_hidden(symbol);
  if (found == nullptr) {
    // Opened with RTLD_LOCAL, as Python opens what it imports.
    if (void* library = loaded_driver()) found = find_symbol(library, symbol);
    dlerror();  // that it was not found at once is not the program's error
  }
  errno = saved_errno;
  return found;
}

const DriverCalls& driver_calls() {
  static const DriverCalls none{};
  if (calls_state.load(std::memory_order_acquire) == 2) return calls;
  const Undisturbed undisturbed;
  int expected = 0;
  if (!calls_state.compare_exchange_strong(expected, 1)) {
    wait_for_calls();
    return calls_state.load(std::memory_order_acquire) == 2 ? calls : none;
  }
  void* library = loaded_driver();
  if (library == nullptr) {
    calls_state.store(0);
    return none;
  }
  find_calls(library);
  calls_state.store(2, std::memory_order_release);
  return calls;
}

}  // namespace tactus::agent
