#include <utility>

#include "standin/device.h"
#include "standin/event.h"
#include "standin/stream.h"

namespace standin {
namespace {

constexpr unsigned kNoTiming = 2;
constexpr unsigned kExternal = 1;  // the event stays one of the program, in a captured graph too

int synchronise(Stream* stream) {
  if (stream == nullptr) return kInvalidContext;
  if (stream->is_capturing) return refuse_in_capture(*stream);
  stream->wait_until_done();
  return kSuccess;
}

int query(Stream* stream) {
  if (stream == nullptr) return kInvalidContext;
  if (stream->is_capturing) return refuse_in_capture(*stream);
  return stream->is_idle() ? kSuccess : kNotReady;
}

int record(Stream* stream, Event* event, unsigned flags) {
  if (stream == nullptr) return kInvalidContext;
  if (event == nullptr) return kInvalidHandle;
  Work work;
  work.kind = Work::kRecord;
  if (!stream->is_capturing) {
    work.marker = event->renew();
  } else if ((flags & kExternal) == 0) {
    return capture_record(*stream, *event);
  } else {
    work.event = event;
  }
  return stream->submit(std::move(work));
}

int wait(Stream* stream, Event* event, unsigned flags) {
  if (stream == nullptr) return kInvalidContext;
  if (event == nullptr) return kInvalidHandle;
  Work work;
  work.kind = Work::kWait;
  if (stream->is_capturing && (flags & kExternal) != 0) {
    work.event = event;
    return stream->submit(std::move(work));
  }
  int result = kSuccess;
  if (capture_wait(*stream, *event, result)) return result;
  work.marker = event->latest();
  return work.marker == nullptr ? kSuccess : stream->submit(std::move(work));
}

bool is_captured(const Event& event) {
  const std::lock_guard lock(event.mutex);
  return event.capture != nullptr;
}

int begin(Stream* stream, int mode) {
  return stream == nullptr ? kInvalidContext : begin_capture(*stream, mode);
}

int end(Stream* stream, Graph** graph) {
  return stream == nullptr ? kInvalidContext : end_capture(*stream, graph);
}

int capture_status(Stream* stream, int* status) {
  if (stream == nullptr) return kInvalidContext;
  const std::lock_guard lock(capture_lock());
  *status = stream->capture == nullptr ? 0 : stream->capture->is_valid ? 1 : 2;
  return kSuccess;
}

int capture_info(Stream* stream, int* status, std::uint64_t* id, Graph** graph, Node*** after,
                 std::size_t* count) {
  if (const int result = capture_status(stream, status); result != kSuccess) return result;
  const std::lock_guard lock(capture_lock());
  if (stream->capture == nullptr) return kSuccess;
  if (id != nullptr) *id = stream->capture->id;
  if (graph != nullptr) *graph = stream->capture->graph.get();
  if (after != nullptr) *after = stream->captured_after.data();
  if (count != nullptr) *count = stream->captured_after.size();
  return kSuccess;
}

int elapsed(float* milliseconds, const Event* from, const Event* to) {
  if (from == nullptr || to == nullptr) return kInvalidHandle;
  const auto first = from->latest();
  const auto last = to->latest();
  if (first == nullptr || last == nullptr || !from->has_time || !to->has_time) {
    return kInvalidHandle;
  }
  if (first->is_done == 0 || last->is_done == 0) return kNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(last->time_ns - first->time_ns) * 1e-6);
  return kSuccess;
}

}  // namespace
}  // namespace standin

using namespace standin;

STANDIN_SHOWN int cuStreamCreate(Stream** stream, unsigned flags) {
  *stream = make_stream(flags);
  return *stream != nullptr ? kSuccess : kInvalidContext;
}

STANDIN_SHOWN int cuStreamCreateWithPriority(Stream** stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

STANDIN_SHOWN int cuStreamDestroy_v2(Stream* stream) {
  if (stream == nullptr) return kInvalidHandle;
  stream->is_destroyed = true;
  return kSuccess;
}

STANDIN_SHOWN int cuEventCreate(Event** event, unsigned flags) {
  if (current_device() == nullptr) return kInvalidContext;
  *event = new Event;
  (*event)->has_time = (flags & kNoTiming) == 0;
  return kSuccess;
}

STANDIN_SHOWN int cuEventDestroy_v2(Event* event) {
  delete event;
  return kSuccess;
}

STANDIN_SHOWN int cuEventQuery(Event* event) {
  if (event == nullptr) return kInvalidHandle;
  if (spoils_captures()) return kCaptureUnsupported;
  if (is_captured(*event)) return kCaptureUnsupported;
  const auto marker = event->latest();
  return marker == nullptr || marker->is_done != 0 ? kSuccess : kNotReady;
}

STANDIN_SHOWN int cuEventSynchronize(Event* event) {
  if (event == nullptr) return kInvalidHandle;
  if (is_captured(*event)) return kCaptureUnsupported;
  if (const auto marker = event->latest(); marker != nullptr) marker->wait();
  return kSuccess;
}

STANDIN_SHOWN int cuEventElapsedTime(float* milliseconds, Event* from, Event* to) {
  return elapsed(milliseconds, from, to);
}

STANDIN_SHOWN int cuEventElapsedTime_v2(float* milliseconds, Event* from, Event* to) {
  return elapsed(milliseconds, from, to);
}

STANDIN_SHOWN int cuThreadExchangeStreamCaptureMode(int* mode) {
  std::swap(capture_mode_of_thread(), *mode);
  return kSuccess;
}

#define STANDIN_STREAMS(suffix, find)                                                            \
  STANDIN_SHOWN int cuStreamSynchronize##suffix(void* stream) {                                  \
    return synchronise(find(stream));                                                            \
  }                                                                                              \
  STANDIN_SHOWN int cuStreamQuery##suffix(void* stream) {                                        \
    return query(find(stream));                                                                  \
  }                                                                                              \
  STANDIN_SHOWN int cuEventRecord##suffix(Event* event, void* stream) {                          \
    return record(find(stream), event, 0);                                                       \
  }                                                                                              \
  STANDIN_SHOWN int cuEventRecordWithFlags##suffix(Event* event, void* stream, unsigned flags) { \
    return record(find(stream), event, flags);                                                   \
  }                                                                                              \
  STANDIN_SHOWN int cuStreamWaitEvent##suffix(void* stream, Event* event, unsigned flags) {      \
    return wait(find(stream), event, flags);                                                     \
  }                                                                                              \
  STANDIN_SHOWN int cuStreamBeginCapture_v2##suffix(void* stream, int mode) {                    \
    return begin(find(stream), mode);                                                            \
  }                                                                                              \
  STANDIN_SHOWN int cuStreamEndCapture##suffix(void* stream, Graph** graph) {                    \
    return end(find(stream), graph);                                                             \
  }                                                                                              \
  STANDIN_SHOWN int cuStreamIsCapturing##suffix(void* stream, int* status) {                     \
    return capture_status(find(stream), status);                                                 \
  }                                                                                              \
  STANDIN_SHOWN int cuStreamGetCaptureInfo_v2##suffix(void* stream, int* status,                 \
                                                      std::uint64_t* id, Graph** graph,          \
                                                      Node*** after, std::size_t* count) {       \
    return capture_info(find(stream), status, id, graph, after, count);                          \
  }

STANDIN_STREAMS(, find_stream)
STANDIN_STREAMS(_ptsz, find_stream_per_thread)
