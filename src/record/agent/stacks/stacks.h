#pragma once

#include <cstdint>

namespace tactus::agent {

struct ThreadState;
struct StackReader;

/// The number of the stack of this thread; kNoStack if none is wanted or none can be read.
std::uint32_t stack_of(ThreadState& thread, std::uint32_t wishes);
void release(StackReader* reader);
/// For the child of a fork.
void forget_stacks();

}  // namespace tactus::agent
