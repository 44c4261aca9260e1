#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace tactus::http {

using Deadline = std::chrono::steady_clock::time_point;

/// Waits until a socket can be read or written; false at the deadline.
bool wait_for(int fd, short events, Deadline deadline);
/// Connects to a host; an error at the deadline.
Result<File> connect_to(const std::string& host, std::uint16_t port, Deadline deadline);
/// False if not everything could be sent in time.
bool send_all(int fd, std::string_view bytes, Deadline deadline);

enum class Received : unsigned char { kSome, kEnd, kLate, kBroken };
/// Appends what is there, at most 64 KiB.
Received receive_some(int fd, std::string& into, Deadline deadline);

}  // namespace tactus::http
