#pragma once

#include <cstdint>

namespace tactus::agent {

/// Called with what the driver has for a symbol ("cuLaunchKernel_ptsz"); the value is what the
/// program gets.
void* replace_symbol(const char* symbol, void* found);
/// The same for cuGetProcAddress, which is asked for a call without version ("cuMemAlloc").
void* replace_call(const char* call, void* found, int cuda_version, std::uint64_t flags);
/// True for a function of the agent.
bool is_hook(const void* function);

}  // namespace tactus::agent
