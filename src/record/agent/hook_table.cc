#include "record/agent/hook_table.h"

#include <cstring>

#include "record/agent/agent.h"
#include "record/agent/cublas/scopes.h"
#include "record/agent/originals.h"

extern "C" {
using ProcAddress = int(const char*, void**, int, std::uint64_t);
using ProcAddressV2 = int(const char*, void**, int, std::uint64_t, int*);
__attribute__((visibility("default"))) ProcAddress cuGetProcAddress;
__attribute__((visibility("default"))) ProcAddressV2 cuGetProcAddress_v2;
}

namespace tactus::agent {

constinit Originals originals;

namespace {

constinit Original<ProcAddress> proc_address("cuGetProcAddress");
constinit Original<ProcAddressV2> proc_address_v2("cuGetProcAddress_v2");

struct Hook {
  const char* symbol;
  const char* call;
  int since;
  bool per_thread;
  void* function;
  std::atomic<void*>* original;
};

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

const Hook kHooks[] = {
#define TACTUS_CALL(symbol, call, since) \
  {#symbol, #call, since, false, address(::symbol), &originals.symbol.address},
#define TACTUS_STREAM_CALL(symbol, call, since, suffix)       \
  TACTUS_CALL(symbol, call, since){#symbol #suffix,           \
                                   #call,                     \
                                   since,                     \
                                   true,                      \
                                   address(::symbol##suffix), \
                                   &originals.symbol##suffix.address},
#include "record/agent/hooks.inc"
#undef TACTUS_CALL
#undef TACTUS_STREAM_CALL
    // Since CUDA 12 this is its name there; the symbol of that name is an older form.
    {"", "cuGraphInstantiate", 12000, false, address(::cuGraphInstantiateWithFlags),
     &originals.cuGraphInstantiateWithFlags.address},
    {"cuGetProcAddress", "cuGetProcAddress", 11030, false, address(::cuGetProcAddress),
     &proc_address.address},
    {"cuGetProcAddress_v2", "cuGetProcAddress", 12000, false, address(::cuGetProcAddress_v2),
     &proc_address_v2.address},
};

constexpr std::uint64_t kPerThreadDefaultStream = 2;
/// The newest version whose calls the hooks know.
constexpr int kKnownVersion = 13000;

void* replace(const Hook& hook, void* found) {
  // Somebody who was given a hook before may hand it on.
  if (found == nullptr || is_hook(found)) return found;
  hook.original->store(found, std::memory_order_relaxed);
  return hook.function;
}

}  // namespace

bool is_hook(const void* function) {
  for (const Hook& hook : kHooks) {
    if (hook.function == function) return true;
  }
  return is_library_hook(function);
}

void* replace_symbol(const char* symbol, void* found) {
  if (found == nullptr) return found;
  for (const Hook& hook : kHooks) {
    if (std::strcmp(hook.symbol, symbol) == 0) return replace(hook, found);
  }
  return found;
}

void* replace_call(const char* call, void* found, int cuda_version, std::uint64_t flags) {
  if (call == nullptr || found == nullptr) return found;
  const bool per_thread = (flags & kPerThreadDefaultStream) != 0;
  const Hook* best = nullptr;
  for (const Hook& hook : kHooks) {
    if (hook.since > cuda_version || std::strcmp(hook.call, call) != 0) continue;
    if (hook.per_thread && !per_thread) continue;
    // The newest form, and the one with a stream per thread where it is asked for.
    if (best == nullptr || hook.since > best->since ||
        (hook.since == best->since && hook.per_thread)) {
      best = &hook;
    }
  }
  return best == nullptr ? replace_symbol(call, found) : replace(*best, found);
}

}  // namespace tactus::agent

using namespace tactus::agent;

int cuGetProcAddress(const char* symbol, void** function, int cuda_version, std::uint64_t flags) {
  const auto original = proc_address.get();
  if (original == nullptr) return kNotInitialized;
  const int result = original(symbol, function, cuda_version, flags);
  if (result != kSuccess || function == nullptr) return result;
  void* known = *function;
  if (cuda_version > kKnownVersion) original(symbol, &known, kKnownVersion, flags);
  if (known == *function) *function = replace_call(symbol, known, cuda_version, flags);
  return result;
}

int cuGetProcAddress_v2(const char* symbol, void** function, int cuda_version, std::uint64_t flags,
                        int* found) {
  const auto original = proc_address_v2.get();
  if (original == nullptr) return kNotInitialized;
  const int result = original(symbol, function, cuda_version, flags, found);
  if (result != kSuccess || function == nullptr) return result;
  // A call that has a newer form than the hooks know is left alone: its arguments may be others.
  void* known = *function;
  int ignored = 0;
  if (cuda_version > kKnownVersion) original(symbol, &known, kKnownVersion, flags, &ignored);
  if (known == *function) *function = replace_call(symbol, known, cuda_version, flags);
  return result;
}
