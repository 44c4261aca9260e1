#pragma once

#include <cstdint>

namespace tactus::agent {

struct ThreadState;
struct StackReader;

struct StackFound {
  std::uint32_t stack = 0;
  bool is_in_step = false;  ///< of an engine
};

/// The stack of this thread; kNoStack if none can be read. If a step of an engine begins with this
/// call, a record of it is written. `waits`: the call waits for the device; `begin`: when it began
/// [ticks].
StackFound stack_of(ThreadState& thread, std::uint32_t wishes, bool waits, std::uint64_t begin);
void release(StackReader* reader);
/// For the child of a fork.
void forget_stacks();

}  // namespace tactus::agent
