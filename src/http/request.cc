#include "http/request.h"

#include <algorithm>

#include "http/headers.h"

namespace tactus::http {
namespace {

constexpr std::size_t kMostHeaders = 100;

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

Status take_header(std::string_view line, Request& request) {
  std::optional<Header> header = read_header(line);
  if (!header) return usage_error("a header line cannot be read");
  const std::string name = std::move(header->name);
  const std::string_view value = header->value;
  if (name == "transfer-encoding") return usage_error("send the body with its length");
  const bool only_once =
      name == "content-length" || name == "host" || name == "origin" || name == "x-tactus-token";
  if (only_once && std::any_of(request.headers.begin(), request.headers.end(),
                               [&](const auto& known) { return known.first == name; })) {
    return usage_error("a header that may occur once is there twice");
  }
  if (name == "content-length") {
    const std::optional<std::uint64_t> bytes = read_length(value);
    if (!bytes) return usage_error("the length of the body is not a number");
    request.body_bytes = *bytes;
  }
  if (name == "connection" && lower(value).find("close") != std::string::npos) {
    request.keep_alive = false;
  }
  if (request.headers.size() == kMostHeaders) return usage_error("there are too many headers");
  request.headers.emplace_back(name, value);
  return {};
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 503: return "Service Unavailable";
    default: return "Internal Server Error";
  }
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  const auto at = std::find_if(headers.begin(), headers.end(),
                               [&](const auto& header) { return header.first == name; });
  return at == headers.end() ? std::string_view() : std::string_view(at->second);
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::optional<std::size_t> end_of_head(std::string_view bytes) {
  const std::size_t at = bytes.find("\r\n\r\n");
  return at == std::string_view::npos ? std::nullopt : std::optional(at + 4);
}

Result<Request> read_request(std::string_view head) {
  Request request;
  const std::size_t line_end = head.find("\r\n");
  if (line_end == std::string_view::npos) return usage_error("the request has no line");
  const std::string_view line = head.substr(0, line_end);
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return usage_error("the first line of the request cannot be read");
  }
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return usage_error("this is not HTTP/1.1");
  request.keep_alive = version == "HTTP/1.1";
  if (!is_token(request.method) || !is_visible(request.target) ||
      !request.target.starts_with('/')) {
    return usage_error("the first line of the request cannot be read");
  }
  std::string_view rest = head.substr(line_end + 2);
  while (!rest.empty() && !rest.starts_with("\r\n")) {
    const std::size_t end = rest.find("\r\n");
    if (end == std::string_view::npos) return usage_error("the head of the request is cut off");
    if (Status status = take_header(rest.substr(0, end), request); !status) return status.error();
    rest.remove_prefix(end + 2);
  }
  return request;
}

std::string answer_head(const AnswerHead& answer, std::string_view more) {
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  head += reason_of(answer.status);
  head += "\r\nContent-Type: ";
  head += answer.type;
  head += "\r\nContent-Length: " + std::to_string(answer.body_bytes);
  if (!answer.encoding.empty()) {
    head += "\r\nContent-Encoding: ";
    head += answer.encoding;
  }
  head += answer.keep_alive ? "\r\nConnection: keep-alive\r\n" : "\r\nConnection: close\r\n";
  head += more;
  return head + "\r\n";
}

}  // namespace tactus::http
