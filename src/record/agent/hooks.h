#pragma once

#include "record/agent/agent.h"
#include "record/agent/cupti/activities.h"
#include "record/agent/gate/gate.h"
#include "record/agent/stacks/stacks.h"

#define TACTUS_HOOK extern "C" __attribute__((visibility("default"))) int

namespace tactus::agent {

inline bool is_captured(Handle stream, bool per_thread) {
  if (captures.load(std::memory_order_relaxed) <= 0) [[likely]]
    return false;
  const DriverCalls& calls = driver_calls();
  const auto ask = per_thread ? calls.stream_is_capturing_ptsz : calls.stream_is_capturing;
  int status = 0;
  return ask != nullptr && ask(stream, &status) == kSuccess && status != 0;
}

/// Writes the common part of a record. `fill` writes the rest.
template <class Fill>
inline void write_record(ThreadState& thread, wire::RecordKind kind, wire::CallId call,
                         std::uint64_t begin, std::uint64_t end, int result, bool captured,
                         std::uint16_t stream, Fill&& fill) {
  const std::uint32_t wishes =
      control.load(std::memory_order_relaxed)->stacks.load(std::memory_order_relaxed);
  const bool waits = kind == wire::RecordKind::kSynchronise;
  const StackFound found = wishes != 0 ? stack_of(thread, wishes, waits, begin) : StackFound();
  const std::uint64_t after_stack = wishes != 0 ? wire::ticks() : end;
  if (thread.correlation != 0) [[unlikely]]
    record_correlation(thread);
  wire::Record* record = thread.next();
  if (record == nullptr) return;
  record->begin_ticks = begin;
  record->took_ticks = end - begin;
  record->kind = kind;
  record->flags = static_cast<std::uint8_t>((captured ? wire::kCaptured : 0) |
                                            (result != kSuccess ? wire::kFailed : 0) |
                                            (found.is_in_step ? wire::kInStep : 0));
  record->stream = stream;
  record->call = static_cast<std::uint32_t>(call);
  fill(*record);
  record->launch.stack = found.stack;
  thread.publish();
  if (thread.sequence % ThreadState::kTimedRecords != 0) [[likely]]
    return;
  // What this record took stands for those that are not timed: before the call, for the clock
  // around it, and behind it.
  const std::uint64_t now = wire::ticks();
  const std::uint64_t before = thread.before_call + 2 * thread.clock_cost;
  thread.before_call = 0;
  count_own_time(thread, (now - end + before) * ThreadState::kTimedRecords,
                 (now - after_stack + before) * ThreadState::kTimedRecords);
}

/// The recorder may want what the device did.
inline void look_for_wishes() {
  if (control.load(std::memory_order_relaxed)->activities.load(std::memory_order_relaxed) != 0)
      [[unlikely]]
    want_activities();
}

/// Calls the driver so that CUPTI, if it is on, says which number the call has.
template <class Call>
inline int call_correlated(ThreadState& thread, Call&& call) {
  if (activities_are_on.load(std::memory_order_relaxed) && !thread.is_shared) [[unlikely]]
    thread.correlation = kWantsCorrelation;
  return call();
}

/// Something that moves, fills or makes memory.
struct MemoryCall {
  wire::RecordKind kind;
  wire::CallId call;
  std::uint64_t bytes;
  std::uint64_t address = 0;
  Handle stream = nullptr;
  bool per_thread = false;
  bool has_stream = true;
  bool waits = false;  ///< for the device
};

template <class Call>
inline int record_memory(const MemoryCall& what, Call&& call) {
  const GateWait gate_wait(what.waits);
  ThreadState* thread = recording_thread();
  if (thread == nullptr) return call();
  thread->begin_call();
  const bool captured = what.has_stream && is_captured(what.stream, what.per_thread);
  thread->is_about_to_call();
  if (what.waits) thread->gpu.before_wait(*thread);
  const std::uint64_t begin = wire::ticks();
  const int result = call_correlated(*thread, call);
  const std::uint64_t end = wire::ticks();
  const std::uint16_t stream =
      what.has_stream ? thread->stream_of(what.stream, what.per_thread) : wire::kStreams - 1;
  write_record(*thread, what.kind, what.call, begin, end, result, captured, stream,
               [&](wire::Record& record) {
                 record.name = wire::kNoName;
                 record.memory.bytes = what.bytes;
                 record.memory.address = what.address;
               });
  if (what.waits) thread->gpu.after_wait(*thread);
  return result;
}

template <class Call>
inline int record_wait(wire::CallId id, Handle stream, bool per_thread, bool has_stream,
                       Call&& call) {
  return record_memory({.kind = wire::RecordKind::kSynchronise,
                        .call = id,
                        .bytes = 0,
                        .stream = stream,
                        .per_thread = per_thread,
                        .has_stream = has_stream,
                        .waits = true},
                       call);
}

}  // namespace tactus::agent
