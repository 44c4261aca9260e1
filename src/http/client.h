#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tactus::http {

/// http://HOST[:PORT][/PATH]. Nothing else: there is no TLS here, and no proxy.
struct Url {
  std::string host;
  std::uint16_t port = 80;
  std::string path = "/";

  std::string text() const;
};
Result<Url> parse_url(const std::string& text);

struct Answer {
  int status = 0;
  std::string body;
};

struct Limits {
  /// For everything together: a server that sends one byte per second does not hold the caller.
  std::chrono::milliseconds deadline{2000};
  std::size_t most_bytes = 16 << 20;
};

/// One request with HTTP/1.1 and no kept connection. An error if there is no answer in time, or if
/// it is cut or too long.
Result<Answer> get(const Url& url, const Limits& limits);
Result<Answer> post(const Url& url, std::string_view type, std::string_view body,
                    const Limits& limits);

/// Reads the answer of a server; nothing if it is not one, or cut. For tests and fuzzing.
Result<Answer> parse_answer(std::string_view bytes, bool is_complete);

}  // namespace tactus::http
