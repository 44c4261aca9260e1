#include "watch/sinks/sinks.h"

#include <fcntl.h>
#include <poll.h>
#include <syslog.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace tactus::watch {
namespace {

constexpr int kTries = 3;
constexpr std::chrono::milliseconds kFirstPause{300};

/// Writes to a file or pipe; a pipe that nobody empties is given up after two seconds.
bool write_line(int fd, const std::string& message) {
  std::string_view rest = message;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd waiting{.fd = fd, .events = POLLOUT, .revents = 0};
      if (::poll(&waiting, 1, 2000) <= 0) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<BoundedWorker>> line_sink(const std::string& path) {
  const bool is_standard = path == "-";
  auto file = std::make_shared<File>(
      is_standard ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                  : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file->is_open()) return usage_error(path + ": cannot be written: " + error_text(errno));
  return std::make_unique<BoundedWorker>(
      std::string(kLineSink), kSinkQueue,
      [file](const std::string& message) { return write_line(file->fd(), message); });
}

std::unique_ptr<BoundedWorker> post_sink(std::string name, const http::Url& url) {
  return std::make_unique<BoundedWorker>(
      std::move(name), kSinkQueue, [url](const std::string& message) {
        std::chrono::milliseconds pause = kFirstPause;
        for (int i = 0; i < kTries; ++i) {
          const Result<http::Answer> answer = http::post(url, "application/json", message, {});
          if (answer && answer->status >= 200 && answer->status < 300) return true;
          // What the server refuses, it refuses again.
          if (answer && answer->status >= 400 && answer->status < 500 && answer->status != 429) {
            return false;
          }
          if (i + 1 < kTries) std::this_thread::sleep_for(pause);
          pause *= 2;
        }
        return false;
      });
}

std::unique_ptr<BoundedWorker> syslog_sink() {
  ::openlog("tactus", LOG_PID, LOG_DAEMON);
  return std::make_unique<BoundedWorker>("syslog", kSinkQueue, [](const std::string& message) {
    ::syslog(LOG_WARNING, "%s", message.c_str());
    return true;
  });
}

}  // namespace tactus::watch
