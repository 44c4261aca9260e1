// Streams, events and graphs: the driver's calls under the runtime's names.
#include "runtime.h"

using namespace runtime;

RUNTIME_SHOWN int cudaStreamCreateWithFlags(Handle* stream, unsigned flags) {
  return IN_CONTEXT(cuStreamCreate, stream, flags);
}

RUNTIME_SHOWN int cudaStreamDestroy(Handle stream) {
  return IN_CONTEXT(cuStreamDestroy, stream);
}

RUNTIME_SHOWN int cudaStreamSynchronize(Handle stream) {
  return IN_CONTEXT(cuStreamSynchronize, stream);
}

RUNTIME_SHOWN int cudaStreamWaitEvent(Handle stream, Handle event, unsigned flags) {
  return IN_CONTEXT(cuStreamWaitEvent, stream, event, flags);
}

RUNTIME_SHOWN int cudaStreamBeginCapture(Handle stream, int mode) {
  return IN_CONTEXT(cuStreamBeginCapture, stream, mode);
}

RUNTIME_SHOWN int cudaStreamEndCapture(Handle stream, Handle* graph) {
  return IN_CONTEXT(cuStreamEndCapture, stream, graph);
}

RUNTIME_SHOWN int cudaStreamIsCapturing(Handle stream, int* status) {
  return IN_CONTEXT(cuStreamIsCapturing, stream, status);
}

RUNTIME_SHOWN int cudaEventCreateWithFlags(Handle* event, unsigned flags) {
  return IN_CONTEXT(cuEventCreate, event, flags);
}

RUNTIME_SHOWN int cudaEventDestroy(Handle event) {
  return IN_CONTEXT(cuEventDestroy, event);
}

RUNTIME_SHOWN int cudaEventRecord(Handle event, Handle stream) {
  return IN_CONTEXT(cuEventRecord, event, stream);
}

RUNTIME_SHOWN int cudaEventSynchronize(Handle event) {
  return IN_CONTEXT(cuEventSynchronize, event);
}

RUNTIME_SHOWN int cudaGraphInstantiate(Handle* exec, Handle graph, unsigned long long flags) {
  return IN_CONTEXT(cuGraphInstantiateWithFlags, exec, graph, flags);
}

RUNTIME_SHOWN int cudaGraphExecUpdate(Handle exec, Handle graph, void* result) {
  return IN_CONTEXT(cuGraphExecUpdate, exec, graph, result);
}

RUNTIME_SHOWN int cudaGraphLaunch(Handle exec, Handle stream) {
  return IN_CONTEXT(cuGraphLaunch, exec, stream);
}

RUNTIME_SHOWN int cudaGraphDestroy(Handle graph) {
  return IN_CONTEXT(cuGraphDestroy, graph);
}

RUNTIME_SHOWN int cudaGraphExecDestroy(Handle exec) {
  return IN_CONTEXT(cuGraphExecDestroy, exec);
}
