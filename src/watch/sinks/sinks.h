#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "http/client.h"
#include "watch/sinks/bounded_worker.h"

namespace tactus::watch {

/// Messages that wait for a sink; an alert is about a kilobyte.
inline constexpr std::size_t kSinkQueue = 256;
/// The name of the sink that writes lines of JSON.
inline constexpr std::string_view kLineSink = "json_lines";

/// Appends each message as a line to a file; "-" is standard output. The file may exist.
Result<std::unique_ptr<BoundedWorker>> line_sink(const std::string& path);
/// Sends each message by POST; up to three times, if the server does not answer or is overloaded.
std::unique_ptr<BoundedWorker> post_sink(std::string name, const http::Url& url);
/// Writes each message to the system's log.
std::unique_ptr<BoundedWorker> syslog_sink();

}  // namespace tactus::watch
