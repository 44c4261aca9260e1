#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/attach/territory.h"
#include "wire/injected.h"

namespace tactus::record {

/// All registers of a thread that calls change, in the order of the trampoline.
struct SavedRegisters {
  std::uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15;
  std::uint64_t rsp, rip, flags;
};

/// What is written behind the code of a library of the target. A thread that is sent there starts
/// another one, which loads the agent, and goes back by itself: nobody has to wait for it.
struct Trampoline {
  std::string bytes;        ///< begin with SavedRegisters
  std::uint64_t entry = 0;  ///< within `bytes`

  /// An error where it cannot be done: another processor, too long a path.
  static Result<Trampoline> make(const Territory& territory, const std::string& library,
                                 std::uint64_t scratch);
};

/// Bytes that the trampoline maps at `scratch`: the page of the new thread, and a stack. Only that
/// page stays, until the agent is loaded.
inline constexpr std::uint64_t kScratchBytes = 0x10000;

}  // namespace tactus::record
