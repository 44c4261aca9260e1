#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "http/connection.h"
#include "http/listener.h"
#include "serve/http/access.h"
#include "serve/runs/served_page.h"

namespace tactus::serve {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;  ///< 0: any that is free
  std::string open = "overview";
  std::string version;                                 ///< of tactus
  std::uint64_t most_upload = std::uint64_t{4} << 30;  ///< [bytes] of all uploads together
};

/// Answers a browser over HTTP: the page, its documents, uploads and queries. Nothing else: no
/// files, and nothing for those who do not have the token.
class HttpServer {
 public:
  /// The page must outlive it.
  HttpServer(ServedPage& page, ServerOptions options) : page_(page), options_(std::move(options)) {}

  /// Takes its port; an error if it is not free.
  Status bind();
  int port() const { return listener_.port(); }
  const std::string& token() const { return access_->token(); }
  /// What to open in a browser, with the token.
  std::string address() const;

  /// Answers until `stop`.
  void run();
  void stop() { listener_.stop(); }

 private:
  /// A request on its connection.
  struct Exchange {
    http::Connection& connection;
    const http::Request& request;
    bool keep_alive = true;
  };

  void handle(int fd);
  void answer(Exchange& exchange);
  bool is_allowed(Exchange& exchange);
  void answer_page(Exchange& exchange);
  void answer_document(Exchange& exchange);
  void answer_query(Exchange& exchange);
  void answer_import(Exchange& exchange);
  /// The body of a request as a file; its bytes.
  Result<std::uint64_t> receive(Exchange& exchange, const std::string& path);

  void send(Exchange& exchange, int status, std::string_view type, std::string_view body,
            std::string_view encoding = "");
  void send_error(Exchange& exchange, int status, const std::string& sentence);
  void send_document(Exchange& exchange, const CachedDocument& document);

  ServedPage& page_;
  ServerOptions options_;
  http::Listener listener_;
  std::unique_ptr<Access> access_;
  std::mutex uploads_;  ///< one at a time
  std::uint64_t uploaded_bytes_ = 0;
  unsigned upload_number_ = 0;
};

}  // namespace tactus::serve
