#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "http/listener.h"

namespace tactus::http {

/// Answers GET requests with pages of text, on threads of its own.
class PageServer {
 public:
  struct Page {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body;
  };
  /// Gets the path of a request; called on the threads of the server, several at a time.
  using Handler = std::function<Page(std::string_view path)>;

  /// `address` is HOST:PORT or PORT (on loopback); port 0 takes a free one.
  static Result<std::unique_ptr<PageServer>> start(const std::string& address, Handler handler);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  std::uint16_t port() const { return static_cast<std::uint16_t>(listener_.port()); }

 private:
  explicit PageServer(Handler handler) : handler_(std::move(handler)) {}
  void handle(int fd) const;

  Handler handler_;
  Listener listener_;
  std::thread thread_;
};

}  // namespace tactus::http
