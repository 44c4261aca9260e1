#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "http/request.h"
#include "http/sockets.h"

namespace tactus::http {

/// One connection of a browser, with a limit on how long it may keep us waiting.
class Connection {
 public:
  explicit Connection(int fd);

  enum class Head : unsigned char { kRead, kClosed, kTooLong };
  /// Waits for the head of the next request. Closed: the browser left, or took too long.
  Head read_head(std::string& head);

  /// Takes the body of a request piece by piece. False if the connection broke, or `take` said no.
  bool read_body(std::uint64_t bytes, const std::function<bool(std::string_view)>& take);

  bool write(std::string_view bytes);

  /// Says that nothing more comes, and drops what the browser still sends for a short while: it
  /// reads an answer only after it has sent its request.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  /// Reads what is there; false at the end, at an error and after the deadline.
  bool receive(Deadline deadline);

  int fd_;
  std::string buffer_;  ///< read and not yet taken
};

}  // namespace tactus::http
