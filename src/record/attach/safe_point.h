#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "record/attach/territory.h"

namespace tactus::record {

/// Where a thread was stopped (x86-64).
struct StoppedThread {
  std::uint64_t place = 0;         ///< rip
  std::uint64_t result = 0;        ///< rax
  KernelCall call;                 ///< orig_rax, rdi, rsi
  bool is_behind_syscall = false;  ///< the instruction before is `syscall`
};

/// How it goes on as if it had not been stopped.
struct Continuation {
  std::uint64_t place = 0;
  std::uint64_t result = 0;
};

/// True if a thread that waits in this call of the kernel cannot be inside malloc or the loader.
bool is_safe_wait(const KernelCall& call, const Territory& territory);

/// A call of the kernel that was broken off is called again: the kernel does so, too, but for those
/// that say EINTR. Without a call, it goes on where it is.
Continuation continuation_of(const StoppedThread& thread);

/// Why no function may be called on this thread now; nothing if it may. `stack`: the words from its
/// stack pointer on.
std::optional<std::string> why_not_safe(const StoppedThread& thread,
                                        std::span<const std::uint64_t> stack,
                                        const Territory& territory);

}  // namespace tactus::record
