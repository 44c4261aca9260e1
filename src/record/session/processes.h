#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "record/session/listener.h"

namespace tactus::record {

/// The name of a thread; empty if it is gone.
std::string thread_name(std::int64_t pid, std::uint32_t tid, const std::string& proc = "/proc");
/// How a process was started; its name if that is not known, empty if it is gone.
std::string process_command(std::int64_t pid, const std::string& proc = "/proc");
/// 0 if it has none, or is gone.
std::int64_t parent_of(std::int64_t pid, const std::string& proc = "/proc");
/// A process and all that it started, directly or not.
std::vector<std::int64_t> with_descendants(std::int64_t pid, const std::string& proc = "/proc");

/// False if the process is of another user, and it is not shown what it has open.
bool may_look_into(std::int64_t pid, const std::string& proc = "/proc");
/// The memory of the agent in a process that runs already. Nothing if it has none that is its own.
std::optional<Arrival> find_agent(std::int64_t pid, const std::string& proc = "/proc");

}  // namespace tactus::record
