#pragma once

#include <cstddef>
#include <cstdint>

#include "record/agent/driver.h"

namespace tactus::agent {

/// Adds a text to the shared table; wire::kNoName if it is full.
std::uint32_t add_name(const char* text, std::size_t length);
/// The name of a kernel, asked from the driver once per function.
std::uint32_t find_kernel_name(Handle function, std::uint32_t generation);

/// The child of a fork shares no names with its parent.
void forget_names();

/// Names a graph that was made ready: "graph 3, 120 nodes".
void name_graph(Handle exec, Handle graph);
void forget_graph(Handle exec);
std::uint32_t find_graph_name(Handle exec);

/// The place of a stream in the shared table; the last one stands for all that find no room.
std::uint16_t find_stream(std::uint64_t handle, std::int32_t device);
/// The device of the thread's context; -1 if unknown.
std::int32_t current_device();

}  // namespace tactus::agent
