// Synchronisation, and what changes the meaning of handles: captures, graphs, modules and contexts.
#include "record/agent/hooks.h"
#include "record/agent/names.h"
#include "record/agent/originals.h"

using namespace tactus::agent;
using tactus::wire::CallId;

namespace tactus::agent {
namespace {

/// Launches between the two are nodes of a graph.
void record_capture(CallId call, Handle stream, bool per_thread) {
  ThreadState* thread = recording_thread();
  if (thread == nullptr) return;
  const std::uint64_t now = wire::ticks();
  write_record(*thread, wire::RecordKind::kCapture, call, now, now, kSuccess, false,
               thread->stream_of(stream, per_thread), [](wire::Record& record) {
                 record.name = wire::kNoName;
                 for (std::uint64_t& word : record.words) word = 0;
               });
}

}  // namespace
}  // namespace tactus::agent

#define TACTUS_ORIGINAL(name)                 \
  const auto original = originals.name.get(); \
  if (original == nullptr) return kNotInitialized

#define TACTUS_SYNC_HOOKS(suffix, per_thread)                                                  \
  TACTUS_HOOK cuStreamSynchronize##suffix(Handle stream) {                                     \
    TACTUS_ORIGINAL(cuStreamSynchronize##suffix);                                              \
    return record_wait(CallId::kStreamSynchronize, stream, per_thread, true,                   \
                       [&] { return original(stream); });                                      \
  }                                                                                            \
  TACTUS_HOOK cuStreamBeginCapture_v2##suffix(Handle stream, int mode) {                       \
    TACTUS_ORIGINAL(cuStreamBeginCapture_v2##suffix);                                          \
    /* Counted before it begins: from then on, no event of the agent may be in its way. */     \
    captures.fetch_add(1);                                                                     \
    const int result = original(stream, mode);                                                 \
    if (result != kSuccess) captures.fetch_sub(1);                                             \
    if (result == kSuccess) record_capture(CallId::kStreamBeginCapture, stream, per_thread);   \
    return result;                                                                             \
  }                                                                                            \
  TACTUS_HOOK cuStreamBeginCaptureToGraph##suffix(Handle stream, Handle graph, Handle* after,  \
                                                  const void* edges, std::size_t count,        \
                                                  int mode) {                                  \
    TACTUS_ORIGINAL(cuStreamBeginCaptureToGraph##suffix);                                      \
    captures.fetch_add(1);                                                                     \
    const int result = original(stream, graph, after, edges, count, mode);                     \
    if (result != kSuccess) captures.fetch_sub(1);                                             \
    if (result == kSuccess) record_capture(CallId::kStreamBeginCapture, stream, per_thread);   \
    return result;                                                                             \
  }                                                                                            \
  TACTUS_HOOK cuStreamEndCapture##suffix(Handle stream, Handle* graph) {                       \
    TACTUS_ORIGINAL(cuStreamEndCapture##suffix);                                               \
    const bool was_captured = is_captured(stream, per_thread);                                 \
    const int result = original(stream, graph);                                                \
    if (was_captured && !is_captured(stream, per_thread)) captures.fetch_sub(1);               \
    record_capture(CallId::kStreamEndCapture, stream, per_thread);                             \
    return result;                                                                             \
  }                                                                                            \
  TACTUS_HOOK cuGraphInstantiateWithParams##suffix(Handle* exec, Handle graph, void* params) { \
    TACTUS_ORIGINAL(cuGraphInstantiateWithParams##suffix);                                     \
    const int result = original(exec, graph, params);                                          \
    if (result == kSuccess && exec != nullptr) name_graph(*exec, graph);                       \
    return result;                                                                             \
  }

TACTUS_SYNC_HOOKS(, false)
TACTUS_SYNC_HOOKS(_ptsz, true)

TACTUS_HOOK cuEventSynchronize(Handle event) {
  TACTUS_ORIGINAL(cuEventSynchronize);
  return record_wait(CallId::kEventSynchronize, nullptr, false, false,
                     [&] { return original(event); });
}

TACTUS_HOOK cuCtxSynchronize() {
  TACTUS_ORIGINAL(cuCtxSynchronize);
  return record_wait(CallId::kCtxSynchronize, nullptr, false, false, [&] { return original(); });
}

TACTUS_HOOK cuCtxSynchronize_v2(Handle context) {
  TACTUS_ORIGINAL(cuCtxSynchronize_v2);
  return record_wait(CallId::kCtxSynchronize, nullptr, false, false,
                     [&] { return original(context); });
}

TACTUS_HOOK cuGraphInstantiateWithFlags(Handle* exec, Handle graph, unsigned long long flags) {
  TACTUS_ORIGINAL(cuGraphInstantiateWithFlags);
  const int result = original(exec, graph, flags);
  if (result == kSuccess && exec != nullptr) name_graph(*exec, graph);
  return result;
}

TACTUS_HOOK cuGraphExecDestroy(Handle exec) {
  TACTUS_ORIGINAL(cuGraphExecDestroy);
  forget_graph(exec);
  return original(exec);
}

TACTUS_HOOK cuModuleUnload(Handle module) {
  TACTUS_ORIGINAL(cuModuleUnload);
  const int result = original(module);
  modules_unloaded.fetch_add(1);
  return result;
}

TACTUS_HOOK cuLibraryUnload(Handle library) {
  TACTUS_ORIGINAL(cuLibraryUnload);
  const int result = original(library);
  modules_unloaded.fetch_add(1);
  return result;
}

TACTUS_HOOK cuCtxDestroy_v2(Handle context) {
  TACTUS_ORIGINAL(cuCtxDestroy_v2);
  contexts_gone.fetch_add(1);
  return original(context);
}

TACTUS_HOOK cuDevicePrimaryCtxReset_v2(int device) {
  TACTUS_ORIGINAL(cuDevicePrimaryCtxReset_v2);
  contexts_gone.fetch_add(1);
  return original(device);
}

TACTUS_HOOK cuDevicePrimaryCtxRelease_v2(int device) {
  TACTUS_ORIGINAL(cuDevicePrimaryCtxRelease_v2);
  const int result = original(device);
  // Libraries retain and release it all the time; it is gone when the last one has released it.
  const DriverCalls& calls = driver_calls();
  unsigned flags = 0;
  int is_active = 0;
  if (calls.primary_ctx_get_state == nullptr ||
      calls.primary_ctx_get_state(device, &flags, &is_active) != kSuccess || is_active == 0) {
    contexts_gone.fetch_add(1);
  }
  return result;
}
