#include "serve/http/http_server.h"

#include <filesystem>
#include <new>

#include "base/json.h"
#include "serve/documents/query.h"
#include "views/page/page_html.h"

namespace tactus::serve {
namespace {

constexpr std::size_t kLongestQuery = 64 << 10;  // [bytes] of SQL
constexpr std::string_view kApi = "/api/";
constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kJson = "application/json";

const std::string& safety_headers() {
  static const std::string kHeaders = "Content-Security-Policy: " + page_policy(PageMode::kServe) +
                                      "\r\n"
                                      "Cache-Control: no-store\r\n"
                                      "X-Content-Type-Options: nosniff\r\n"
                                      "X-Frame-Options: DENY\r\n"
                                      "Referrer-Policy: no-referrer\r\n"
                                      "Cross-Origin-Resource-Policy: same-origin\r\n";
  return kHeaders;
}

int status_of(const Error& error) {
  return error.code == ErrorCode::kBroke ? 500 : 404;
}

/// The token in the address of the page: /?token=...
std::string token_in(const http::Request& request) {
  const Result<DocumentName> name =
      read_document_name("page" + request.target.substr(request.path().size()));
  if (!name) return {};
  const auto at = name->query.find("token");
  return at == name->query.end() ? std::string() : at->second;
}

}  // namespace

Status HttpServer::bind() {
  Result<std::string> token = make_token();
  if (!token) return token.error();
  if (Status bound = listener_.bind(options_.host, options_.port); !bound) return bound;
  access_ = std::make_unique<Access>(std::move(*token), options_.host, listener_.port());
  return {};
}

std::string HttpServer::address() const {
  const bool is_v6 = options_.host.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + options_.host + "]" : options_.host) + ":" +
         std::to_string(port()) + "/?token=" + token();
}

void HttpServer::run() {
  listener_.run([this](int fd) { handle(fd); });
}

void HttpServer::handle(int fd) {
  http::Connection connection(fd);
  std::string head;
  while (true) {
    const http::Connection::Head read = connection.read_head(head);
    if (read == http::Connection::Head::kClosed) return;
    const Result<http::Request> request = read == http::Connection::Head::kTooLong
                                              ? usage_error("the head of the request is too long")
                                              : http::read_request(head);
    const http::Request none;
    Exchange exchange{connection, request ? *request : none};
    if (!request) {
      exchange.keep_alive = false;
      send_error(exchange, 400, request.error().message);
      return connection.end();
    }
    exchange.keep_alive = request->keep_alive;
    try {
      answer(exchange);
    } catch (const std::bad_alloc&) {
      exchange.keep_alive = false;
      send_error(exchange, 500, "there is not enough memory for that");
    } catch (const std::exception&) {
      exchange.keep_alive = false;
      send_error(exchange, 500, "this is a bug in tactus, please report it");
    }
    if (!exchange.keep_alive) return connection.end();
  }
}

void HttpServer::answer(Exchange& exchange) {
  const http::Request& request = exchange.request;
  const bool is_post = request.method == "POST";
  // A body that is not read would be taken for the next request.
  if (!is_post && request.body_bytes != 0) exchange.keep_alive = false;
  if (is_post) exchange.keep_alive = false;
  if (!is_allowed(exchange)) return;
  if (is_post && request.path() == "/api/sql") {
    answer_query(exchange);
  } else if (is_post && request.path() == "/api/import") {
    answer_import(exchange);
  } else if (request.method != "GET") {
    send_error(exchange, 405, "this server answers GET, and POST of queries and files");
  } else if (request.path() == "/") {
    answer_page(exchange);
  } else if (request.path().starts_with(kApi)) {
    answer_document(exchange);
  } else {
    send_error(exchange, 404, "there is no such page; open the address that tactus serve printed");
  }
}

bool HttpServer::is_allowed(Exchange& exchange) {
  const http::Request& request = exchange.request;
  std::string refusal = access_->refusal({.host = request.header("host"),
                                          .origin = request.header("origin"),
                                          .site = request.header("sec-fetch-site")});
  const bool is_page = request.path() == "/";
  const std::string given =
      is_page ? token_in(request) : std::string(request.header("x-tactus-token"));
  if (refusal.empty() && !access_->has_token(given)) {
    refusal = "This needs the token of the address that tactus serve printed; open that address.";
  }
  if (refusal.empty()) return true;
  if (request.body_bytes != 0) exchange.keep_alive = false;
  if (is_page) {
    send(exchange, 403, kText, refusal + "\n");
  } else {
    send_error(exchange, 403, refusal);
  }
  return false;
}

void HttpServer::answer_page(Exchange& exchange) {
  send(exchange, 200, "text/html; charset=utf-8",
       show_page({.mode = PageMode::kServe,
                  .open = options_.open,
                  .title = "Tactus",
                  .version = options_.version}));
}

void HttpServer::answer_document(Exchange& exchange) {
  const std::string_view name = std::string_view(exchange.request.target).substr(kApi.size());
  const Result<std::shared_ptr<const CachedDocument>> document = page_.get(name);
  if (!document) return send_error(exchange, status_of(document.error()), document.error().message);
  send_document(exchange, **document);
}

void HttpServer::answer_query(Exchange& exchange) {
  if (exchange.request.body_bytes > kLongestQuery) {
    return send_error(exchange, 413, "the query is too long");
  }
  std::string text;
  const bool whole =
      exchange.connection.read_body(exchange.request.body_bytes, [&](std::string_view piece) {
        text += piece;
        return true;
      });
  if (!whole) return;
  const Result<DocumentName> name =
      read_document_name(std::string_view(exchange.request.target).substr(kApi.size()));
  if (!name) return send_error(exchange, 400, name.error().message);
  const Result<std::optional<std::int64_t>> run = number_in(name->query, "run");
  if (!run || run->value_or(0) < 0) return send_error(exchange, 404, "there is no such run");
  const Result<std::string> answered =
      page_.query(static_cast<std::size_t>(run->value_or(0)), text);
  if (!answered) {
    const bool broke = answered.error().code == ErrorCode::kBroke;
    return send_error(exchange, broke ? 500 : 400, answered.error().message);
  }
  send(exchange, 200, kJson, *answered);
}

Result<std::uint64_t> HttpServer::receive(Exchange& exchange, const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path, false);
  if (!file) return file.error();
  Status written;
  const bool whole =
      exchange.connection.read_body(exchange.request.body_bytes, [&](std::string_view piece) {
        written = file->write(piece);
        return static_cast<bool>(written);
      });
  if (!written) return written.error();
  if (!whole) return usage_error("the upload was cut off");
  if (Status status = file->commit(); !status) return status.error();
  return exchange.request.body_bytes;
}

void HttpServer::answer_import(Exchange& exchange) {
  const std::unique_lock lock(uploads_, std::try_to_lock);
  if (!lock.owns_lock()) {
    return send_error(exchange, 409, "another file is being read; try again when it is done");
  }
  if (exchange.request.body_bytes > options_.most_upload - uploaded_bytes_) {
    return send_error(exchange, 413,
                      "the file is larger than this page takes; tactus serve FILE opens it");
  }
  const std::string name = safe_file_name(exchange.request.header("x-file-name"));
  const std::string folder = page_.folder() + "/" + std::to_string(++upload_number_);
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) return send_error(exchange, 500, "no folder for the file: " + error.message());
  const std::string path = folder + "/" + name;
  const Result<std::uint64_t> received = receive(exchange, path);
  const Status opened = received ? page_.open(path, name) : Status(received.error());
  if (!opened) {
    std::filesystem::remove_all(folder, error);
    std::string message = opened.error().message;
    if (message.starts_with(folder + "/")) message.erase(0, folder.size() + 1);
    return send_error(exchange, opened.error().code == ErrorCode::kBroke ? 500 : 400, message);
  }
  uploaded_bytes_ += *received;
  const Result<std::shared_ptr<const CachedDocument>> runs = page_.get("runs");
  if (!runs) return send_error(exchange, 500, runs.error().message);
  send_document(exchange, **runs);
}

void HttpServer::send(Exchange& exchange, int status, std::string_view type, std::string_view body,
                      std::string_view encoding) {
  const http::AnswerHead answer{.status = status,
                                .type = type,
                                .encoding = encoding,
                                .body_bytes = body.size(),
                                .keep_alive = exchange.keep_alive};
  std::string head = http::answer_head(answer, safety_headers());
  // Small answers go out in one packet.
  constexpr std::size_t kSmall = 32 << 10;
  bool sent = false;
  if (body.size() <= kSmall) {
    head += body;
    sent = exchange.connection.write(head);
  } else {
    sent = exchange.connection.write(head) && exchange.connection.write(body);
  }
  if (!sent) exchange.keep_alive = false;
}

void HttpServer::send_error(Exchange& exchange, int status, const std::string& sentence) {
  send(exchange, status, kJson, Json({{"error", sentence}}).dump() + "\n");
}

void HttpServer::send_document(Exchange& exchange, const CachedDocument& document) {
  const bool packed =
      !document.packed.empty() &&
      exchange.request.header("accept-encoding").find("gzip") != std::string_view::npos;
  send(exchange, 200, document.is_json ? kJson : "application/octet-stream",
       packed ? document.packed : document.bytes, packed ? "gzip" : "");
}

}  // namespace tactus::serve
