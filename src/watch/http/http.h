#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace tactus::watch {

/// http://HOST[:PORT][/PATH]. Nothing else: there is no TLS here, and no proxy.
struct Url {
  std::string host;
  std::uint16_t port = 80;
  std::string path = "/";

  std::string text() const;
};
Result<Url> parse_url(const std::string& text);

struct HttpAnswer {
  int status = 0;
  std::string body;
};

struct HttpLimits {
  /// For everything together: a server that sends one byte per second does not hold the caller.
  std::chrono::milliseconds deadline{2000};
  std::size_t most_bytes = 16 << 20;
};

/// One request with HTTP/1.1 and no kept connection. An error if there is no answer in time, or if
/// it is cut or too long.
Result<HttpAnswer> http_get(const Url& url, const HttpLimits& limits);
Result<HttpAnswer> http_post(const Url& url, std::string_view type, std::string_view body,
                             const HttpLimits& limits);

/// Reads the answer of a server; nothing if it is not one, or cut. For tests and fuzzing.
Result<HttpAnswer> parse_answer(std::string_view bytes, bool is_complete);

/// Answers GET requests on a thread of its own, one at a time, each within two seconds.
class HttpServer {
 public:
  struct Page {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body;
  };
  /// Gets the path of a request; called on the server's thread.
  using Handler = std::function<Page(std::string_view path)>;

  /// `address` is HOST:PORT or PORT (on loopback); port 0 takes a free one.
  static Result<std::unique_ptr<HttpServer>> start(const std::string& address, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  struct Thread;
  HttpServer(File socket, std::uint16_t port, Handler handler);

  std::uint16_t port_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tactus::watch
