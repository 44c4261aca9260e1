// A function may be called on a thread if the thread holds none of the locks that the function
// needs: those of malloc and of the loader. That is known of a thread that waits in a call of the
// kernel that neither of them makes, and of one that is in the program's own code; unless that is a
// signal handler, which may have interrupted anything.
#include "record/attach/safe_point.h"

#include <algorithm>
#include <iterator>

namespace tactus::record {
namespace {

// Numbers of x86-64.
constexpr std::int64_t kFutex = 202, kRestart = 219;
/// Only such as the kernel repeats by itself: others would say EINTR to the program if what stops
/// the thread were killed at that moment (epoll_wait; anything that reads from a socket with a
/// timeout).
constexpr std::int64_t kSafeCalls[] = {
    7,    // poll
    23,   // select
    34,   // pause
    35,   // nanosleep
    61,   // wait4
    130,  // rt_sigsuspend
    kRestart,
    230,  // clock_nanosleep
    247,  // waitid
    270,  // pselect6
    271,  // ppoll
};

// What the kernel says of a call that it will repeat.
constexpr std::int64_t kRestartFirst = -512, kRestartLast = -514, kRestartBlock = -516;
constexpr std::int64_t kInterrupted = -4;

bool is_repeated(std::int64_t result) {
  return (result <= kRestartFirst && result >= kRestartLast) || result == kRestartBlock;
}

/// Was it waiting when it was stopped?
bool was_waiting(const StoppedThread& thread) {
  const auto result = static_cast<std::int64_t>(thread.result);
  return thread.call.number >= 0 && thread.is_behind_syscall &&
         (is_repeated(result) || result == kInterrupted);
}

}  // namespace

bool is_safe_wait(const KernelCall& call, const Territory& territory) {
  if (std::find(std::begin(kSafeCalls), std::end(kSafeCalls), call.number) !=
      std::end(kSafeCalls)) {
    return true;
  }
  if (call.number != kFutex) return false;
  constexpr std::uint64_t kOperation = 0x7f, kWait = 0, kWaitBits = 9;
  const std::uint64_t operation = call.second & kOperation;
  if (operation != kWait && operation != kWaitBits) return false;
  // The lock of an arena lies at the beginning of its heap, which is aligned; all others of malloc
  // and of the loader are variables of theirs.
  constexpr std::uint64_t kHeap = 64 << 20;
  constexpr std::uint64_t kHeapHeader = 4096;
  return call.first % kHeap >= kHeapHeader && !territory.is_of_c_library(call.first);
}

Continuation continuation_of(const StoppedThread& thread) {
  Continuation go_on{.place = thread.place, .result = thread.result};
  if (!was_waiting(thread)) return go_on;
  constexpr std::uint64_t kSyscallBytes = 2;
  go_on.place -= kSyscallBytes;
  const bool has_block = static_cast<std::int64_t>(thread.result) == kRestartBlock;
  go_on.result = static_cast<std::uint64_t>(has_block ? kRestart : thread.call.number);
  return go_on;
}

std::optional<std::string> why_not_safe(const StoppedThread& thread,
                                        std::span<const std::uint64_t> stack,
                                        const Territory& territory) {
  if (was_waiting(thread)) {
    if (!is_repeated(static_cast<std::int64_t>(thread.result)) ||
        !is_safe_wait(thread.call, territory)) {
      return "it waits in call " + std::to_string(thread.call.number) + " of the kernel";
    }
  } else {
    const Mapping* code = territory.at(thread.place);
    if (code == nullptr || !code->is_code || code->is_special ||
        territory.is_of_c_library(thread.place) || territory.is_of_allocator(thread.place)) {
      return "it is inside the C library";
    }
  }
  for (const std::uint64_t word : stack) {
    if (word == territory.signal_return() && word != 0) return "it handles a signal";
    if (territory.has_allocator() && territory.is_of_allocator(word)) return "it is inside malloc";
  }
  return std::nullopt;
}

}  // namespace tactus::record
