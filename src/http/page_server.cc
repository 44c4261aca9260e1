#include "http/page_server.h"

#include <optional>

#include "base/text.h"
#include "http/connection.h"
#include "http/request.h"

namespace tactus::http {
namespace {

PageServer::Page page_of(const Result<Request>& request, const PageServer::Handler& handler) {
  if (!request) return {.status = 400, .body = request.error().message + "\n"};
  if (request->method != "GET") return {.status = 405, .body = "only GET is answered\n"};
  return handler(request->path());
}

struct Place {
  std::string host;
  int port = 0;
};
std::optional<Place> read_place(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const std::optional<double> port =
      finite_number(colon == std::string::npos ? address : address.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535 ||
      *port != static_cast<double>(static_cast<int>(*port))) {
    return std::nullopt;
  }
  return Place{std::move(host), static_cast<int>(*port)};
}

}  // namespace

void PageServer::handle(int fd) const {
  Connection connection(fd);
  std::string head;
  const Connection::Head read = connection.read_head(head);
  if (read == Connection::Head::kClosed) return;
  const Page page = page_of(read == Connection::Head::kTooLong
                                ? usage_error("the head of the request is too long")
                                : read_request(head),
                            handler_);
  const AnswerHead answer{.status = page.status,
                          .type = page.type,
                          .body_bytes = page.body.size(),
                          .keep_alive = false};
  if (connection.write(answer_head(answer, "") + page.body)) connection.end();
}

Result<std::unique_ptr<PageServer>> PageServer::start(const std::string& address, Handler handler) {
  const std::optional<Place> place = read_place(address);
  if (!place) {
    return usage_error(address + ": is not HOST:PORT or PORT; write 127.0.0.1:9187");
  }
  std::unique_ptr<PageServer> server(new PageServer(std::move(handler)));
  if (Status bound = server->listener_.bind(place->host, place->port); !bound) {
    return bound.error();
  }
  server->thread_ =
      std::thread([of = server.get()] { of->listener_.run([of](int fd) { of->handle(fd); }); });
  return server;
}

PageServer::~PageServer() {
  listener_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace tactus::http
