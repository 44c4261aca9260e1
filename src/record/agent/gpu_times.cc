#include "record/agent/gpu_times.h"

#include "record/agent/agent.h"
#include "record/agent/driver_events.h"

namespace tactus::agent {
namespace {

/// Times are floating milliseconds: counted from too far away, they lose digits.
constexpr std::int64_t kOldBase = 500'000'000;  // [ns]
constexpr std::uint32_t kMostErrors = 3;
constexpr std::uint64_t kMillion = 1'000'000;
/// Budget that is not used within this time is lost, so that it is kept at all times.
constexpr std::uint64_t kLongestSaving = 1u << 28;  // [ticks]

std::int64_t nanoseconds(float milliseconds) {
  return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

/// Events of threads that ended, for those that begin: an event is never destroyed, because the
/// driver may be gone by the time a thread ends.
struct SpareEvent {
  std::atomic<Handle> event;
  Handle context;
  std::uint32_t contexts_gone;
};
constexpr std::size_t kSpareEvents = 2560;
SpareEvent spare_events[kSpareEvents];
std::atomic<std::int32_t> spare_event_count = 0;

const Handle kBeingWritten = reinterpret_cast<Handle>(1);

void put_spare(Handle event, Handle context, std::uint32_t gone) {
  if (event == nullptr) return;
  for (SpareEvent& spare : spare_events) {
    Handle none = nullptr;
    if (!spare.event.compare_exchange_strong(none, kBeingWritten)) continue;
    spare.context = context;
    spare.contexts_gone = gone;
    spare.event.store(event, std::memory_order_release);
    spare_event_count.fetch_add(1);
    return;
  }
}

Handle take_spare(Handle context, std::uint32_t gone) {
  if (spare_event_count.load(std::memory_order_relaxed) <= 0) return nullptr;
  for (SpareEvent& spare : spare_events) {
    Handle event = spare.event.load(std::memory_order_acquire);
    if (event == nullptr || event == kBeingWritten) continue;
    if (!spare.event.compare_exchange_strong(event, kBeingWritten)) continue;
    const bool is_ours = spare.context == context && spare.contexts_gone == gone;
    const bool is_void = spare.contexts_gone != contexts_gone.load(std::memory_order_relaxed);
    spare.event.store(is_ours || is_void ? nullptr : event, std::memory_order_release);
    if (is_ours || is_void) spare_event_count.fetch_sub(1);
    if (is_ours) return event;
  }
  return nullptr;
}

bool is_capturing(Handle stream, bool per_thread) {
  const DriverCalls& calls = driver_calls();
  const auto ask = per_thread ? calls.stream_is_capturing_ptsz : calls.stream_is_capturing;
  int status = 0;
  return ask == nullptr || ask(stream, &status) != kSuccess || status != 0;
}

}  // namespace

void GpuTimes::forget() {
  const std::uint32_t errors = errors_;
  const std::int64_t credit = credit_;
  const std::uint64_t credit_at = credit_at_;
  const std::uint32_t clock = clock_;
  *this = GpuTimes();
  errors_ = errors;
  credit_ = credit;
  credit_at_ = credit_at;
  clock_ = clock + 1;
  contexts_gone_ = contexts_gone.load(std::memory_order_relaxed);
}

bool GpuTimes::is_allowed(ThreadState& thread) {
  if (errors_ >= kMostErrors || captures.load(std::memory_order_relaxed) > 0) return false;
  if (contexts_gone_ != contexts_gone.load(std::memory_order_relaxed)) forget();
  const std::uint64_t now = wire::ticks();
  const std::uint64_t ppm =
      control.load(std::memory_order_relaxed)->budget_ppm.load(std::memory_order_relaxed);
  std::uint64_t passed = credit_at_ == 0 ? kLongestSaving : now - credit_at_;
  if (passed > kLongestSaving) passed = kLongestSaving;
  credit_at_ = now;
  const auto limit = static_cast<std::int64_t>(kLongestSaving * ppm / kMillion);
  credit_ += static_cast<std::int64_t>(passed * ppm / kMillion);
  if (credit_ > limit) credit_ = limit;
  if (credit_ > 0) return true;
  thread.ring->gpu_times_left_out.fetch_add(1, std::memory_order_relaxed);
  return false;
}

Handle GpuTimes::take_event() {
  if (free_count_ > 0) return free_[--free_count_];
  if (made_ == kEvents) return nullptr;
  Handle event = take_spare(context_, contexts_gone_);
  if (event != nullptr) {
    ++made_;
    return event;
  }
  const DriverCalls& calls = driver_calls();
  if (calls.event_create == nullptr || calls.event_create(&event, 0) != kSuccess) return nullptr;
  ++made_;
  return event;
}

void GpuTimes::release() {
  if (contexts_gone_ != contexts_gone.load(std::memory_order_relaxed)) return;
  const auto give = [&](Handle event) { put_spare(event, context_, contexts_gone_); };
  give(base_);
  for (std::size_t i = 0; i < free_count_; ++i) give(free_[i]);
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    give(waiting_[i].begin);
    give(waiting_[i].end);
  }
  if (step_is_open_) {
    give(step_.begin);
    give(step_.end);
  }
}

void GpuTimes::give_event(Handle event) {
  if (event != nullptr && free_count_ < kEvents) free_[free_count_++] = event;
}

bool GpuTimes::open(Span& span, Handle stream, std::uint16_t stream_index, bool per_thread) {
  // Events belong to a context. A thread that goes from one to another keeps to the first.
  const DriverCalls& calls = driver_calls();
  Handle context = nullptr;
  if (calls.ctx_get_current == nullptr || calls.ctx_get_current(&context) != kSuccess ||
      context == nullptr) {
    return false;
  }
  if (context_ == nullptr) context_ = context;
  if (context_ != context || waiting_count_ == kWaiting) return false;
  if (is_capturing(stream, per_thread)) return false;
  span = Span{.begin = take_event(),
              .end = take_event(),
              .stream = stream,
              .stream_index = stream_index,
              .per_thread = per_thread};
  if (span.begin != nullptr && span.end != nullptr) {
    span.begin_ticks = wire::ticks();
    if (record_event(span.begin, stream, per_thread) == kSuccess) return true;
    ++errors_;
  }
  give_event(span.begin);
  give_event(span.end);
  return false;
}

void GpuTimes::close(Span& span) {
  if (!is_capturing(span.stream, span.per_thread) &&
      record_event(span.end, span.stream, span.per_thread) == kSuccess) {
    waiting_[waiting_count_++] = span;
    return;
  }
  ++errors_;
  give_event(span.begin);
  give_event(span.end);
}

void GpuTimes::before_launch(ThreadState& thread, Handle stream, std::uint16_t stream_index,
                             bool per_thread) {
  if (step_is_open_) {
    ++step_.launches;
    return;
  }
  if (step_is_refused_) return;
  if (!is_allowed(thread)) {
    step_is_refused_ = true;
    return;
  }
  const OwnTime own{thread};
  const Harmless harmless;
  step_is_open_ = open(step_, stream, stream_index, per_thread);
  step_is_refused_ = !step_is_open_;
  step_.launches = 1;
}

void GpuTimes::before_graph(ThreadState& thread, Handle stream, std::uint16_t stream_index,
                            bool per_thread, std::uint32_t name) {
  graph_is_open_ = false;
  if (!is_allowed(thread)) return;
  const OwnTime own{thread};
  const Harmless harmless;
  collect(thread);
  // One place stays for the end of the step.
  if (waiting_count_ + 1 >= kWaiting) return;
  graph_is_open_ = open(graph_, stream, stream_index, per_thread);
  graph_.name = name;
  graph_.of_graph = true;
  graph_.launches = 1;
}

void GpuTimes::after_graph(ThreadState& thread) {
  if (!graph_is_open_) return;
  graph_is_open_ = false;
  if (contexts_gone_ != contexts_gone.load(std::memory_order_relaxed)) return;
  const OwnTime own{thread};
  const Harmless harmless;
  close(graph_);
}

void GpuTimes::before_wait(ThreadState& thread) {
  step_is_refused_ = false;
  if (!step_is_open_) return;
  if (captures.load(std::memory_order_relaxed) > 0) return;
  step_is_open_ = false;
  if (contexts_gone_ != contexts_gone.load(std::memory_order_relaxed)) return forget();
  const OwnTime own{thread};
  const Harmless harmless;
  if (waiting_count_ < kWaiting) {
    close(step_);
  } else {
    give_event(step_.begin);
    give_event(step_.end);
  }
}

void GpuTimes::after_wait(ThreadState& thread) {
  if (waiting_count_ == 0 || captures.load(std::memory_order_relaxed) > 0) return;
  if (contexts_gone_ != contexts_gone.load(std::memory_order_relaxed)) return forget();
  const OwnTime own{thread};
  const Harmless harmless;
  collect(thread);
}

/// Reports what is done, in order.
void GpuTimes::collect(ThreadState& thread) {
  std::size_t done = 0;
  const DriverCalls& calls = driver_calls();
  while (done < waiting_count_ && errors_ < kMostErrors) {
    const int result =
        calls.event_query != nullptr ? calls.event_query(waiting_[done].end) : kNotInitialized;
    if (result == kNotReady) break;
    if (result != kSuccess || !report(thread, waiting_[done])) ++errors_;
    ++done;
  }
  for (std::size_t i = done; i < waiting_count_; ++i) waiting_[i - done] = waiting_[i];
  waiting_count_ -= done;
}

bool GpuTimes::report(ThreadState& thread, const Span& span) {
  const DriverCalls& calls = driver_calls();
  float from_base = 0;
  float length = 0;
  const std::uint64_t done_ticks = wire::ticks();
  const bool is_known =
      calls.event_elapsed != nullptr &&
      (base_ == nullptr || calls.event_elapsed(&from_base, base_, span.begin) == kSuccess) &&
      calls.event_elapsed(&length, span.begin, span.end) == kSuccess;
  if (is_known) {
    const std::int64_t begin_ns = base_ns_ + nanoseconds(from_base);
    const std::int64_t end_ns = begin_ns + nanoseconds(length);
    if (wire::Record* record = thread.next()) {
      record->begin_ticks = span.begin_ticks;
      record->name = span.name;
      record->kind = wire::RecordKind::kGpuTime;
      record->flags = span.of_graph ? wire::kOfGraph : 0;
      record->stream = span.stream_index;
      record->gpu.begin_ns = begin_ns;
      record->gpu.end_ns = end_ns;
      record->gpu.done_ticks = done_ticks;
      record->gpu.launches = span.launches;
      record->gpu.clock = clock_;
      record->call = 0;
      record->took_ticks = 0;
      thread.publish();
    }
    if (base_ == nullptr || begin_ns - base_ns_ > kOldBase) {
      give_event(base_);
      base_ = span.begin;
      base_ns_ = begin_ns;
      give_event(span.end);
      return true;
    }
  }
  give_event(span.begin);
  give_event(span.end);
  return is_known;
}

}  // namespace tactus::agent
