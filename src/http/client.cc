#include "http/client.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "http/headers.h"
#include "http/sockets.h"

namespace tactus::http {
namespace {

template <class T>
std::optional<T> whole(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Head {
  int status = 0;
  std::optional<std::uint64_t> length;
  bool is_chunked = false;
};

/// Of an answer: lines may end in LF alone, and what cannot be read is left out.
std::optional<Head> read_head(std::string_view text) {
  // HTTP/1.1 200 OK
  if (!text.starts_with("HTTP/1.") || text.size() < 12) return std::nullopt;
  Head head;
  const std::optional<int> status = whole<int>(text.substr(9, 3));
  if (!status) return std::nullopt;
  head.status = *status;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::optional<Header> header = read_header(line);
    if (!header) continue;
    if (header->name == "content-length") head.length = read_length(header->value);
    if (header->name == "transfer-encoding") head.is_chunked = lower(header->value) == "chunked";
  }
  return head;
}

/// The text of a chunked body; nothing if its end is missing.
std::optional<std::string> join_chunks(std::string_view bytes) {
  std::string body;
  for (;;) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    // 1a2b;extension
    const std::string_view line = bytes.substr(0, end);
    const std::string_view digits = trimmed(line.substr(0, line.find_first_of(";\r")));
    const std::optional<std::size_t> size = whole<std::size_t>(digits, 16);
    if (!size) return std::nullopt;
    bytes.remove_prefix(end + 1);
    if (*size == 0) return body;
    if (*size > bytes.size() || bytes.size() - *size < 2) return std::nullopt;
    body += bytes.substr(0, *size);
    bytes.remove_prefix(*size);
    bytes.remove_prefix(bytes.front() == '\r' ? 2 : 1);
  }
}

Result<Answer> ask(const Url& url, const std::string& request, const Limits& limits) {
  const Deadline deadline = std::chrono::steady_clock::now() + limits.deadline;
  const Result<File> socket = connect_to(url.host, url.port, deadline);
  if (!socket) return input_error(url.text() + ": cannot be reached: " + socket.error().message);
  const auto late = [&] {
    return input_error(url.text() + ": no whole answer within " +
                       std::to_string(limits.deadline.count()) + " ms");
  };
  if (!send_all(socket->fd(), request, deadline)) return late();
  std::string bytes;
  for (;;) {
    const Received received = receive_some(socket->fd(), bytes, deadline);
    if (received == Received::kLate) return late();
    if (received == Received::kBroken) return input_error(url.text() + ": the connection broke");
    if (bytes.size() > limits.most_bytes) {
      return input_error(url.text() + ": the answer is longer than " +
                         std::to_string(limits.most_bytes >> 20) + " MiB");
    }
    const bool is_complete = received == Received::kEnd;
    Result<Answer> answer = parse_answer(bytes, is_complete);
    if (answer) return answer;
    if (is_complete) return input_error(url.text() + ": " + answer.error().message);
  }
}

std::string head_of(std::string_view method, const Url& url) {
  return std::string(method) + " " + url.path + " HTTP/1.1\r\nHost: " + url.host + ":" +
         std::to_string(url.port) +
         "\r\nUser-Agent: tactus\r\nAccept: */*\r\nConnection: close\r\n";
}

}  // namespace

std::string Url::text() const {
  return "http://" + host + ":" + std::to_string(port) + path;
}

Result<Url> parse_url(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return usage_error(text + ": " + why + "; write http://HOST:PORT/PATH");
  };
  constexpr std::string_view kScheme = "http://";
  if (text.starts_with("https://")) return wrong("only http is spoken, not https");
  if (!text.starts_with(kScheme)) return wrong("is not an address that begins with http://");
  std::string_view rest = std::string_view(text).substr(kScheme.size());
  for (const char c : rest) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f)
      return wrong("has a blank or a control character in it");
  }
  Url url;
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) url.path = rest.substr(slash);
  std::string_view place = rest.substr(0, slash);
  if (place.find('@') != std::string_view::npos) return wrong("names and passwords are not sent");
  std::size_t colon = place.rfind(':');
  if (place.starts_with('[')) {  // [::1]:8000
    const std::size_t close = place.find(']');
    if (close == std::string_view::npos) return wrong("has a [ without ]");
    if (colon < close) colon = std::string_view::npos;
    url.host = place.substr(1, close - 1);
  } else {
    url.host = place.substr(0, colon);
  }
  if (url.host.empty()) return wrong("names no host");
  if (colon != std::string_view::npos) {
    const std::optional<std::uint16_t> port = whole<std::uint16_t>(place.substr(colon + 1));
    if (!port || *port == 0) return wrong("has no port between 1 and 65535");
    url.port = *port;
  }
  return url;
}

Result<Answer> parse_answer(std::string_view bytes, bool is_complete) {
  std::size_t end = bytes.find("\r\n\r\n");
  std::size_t gap = 4;
  if (end == std::string_view::npos) {
    end = bytes.find("\n\n");
    gap = 2;
  }
  if (end == std::string_view::npos) return input_error("the answer is cut, or is not HTTP");
  const std::optional<Head> head = read_head(bytes.substr(0, end));
  if (!head) return input_error("the answer is not HTTP");
  const std::string_view body = bytes.substr(end + gap);
  if (head->is_chunked) {
    std::optional<std::string> joined = join_chunks(body);
    if (!joined) return input_error("the answer is cut");
    return Answer{head->status, std::move(*joined)};
  }
  if (head->length) {
    if (body.size() < *head->length) return input_error("the answer is cut");
    return Answer{head->status, std::string(body.substr(0, *head->length))};
  }
  if (!is_complete) return input_error("the answer is cut");
  return Answer{head->status, std::string(body)};
}

Result<Answer> get(const Url& url, const Limits& limits) {
  return ask(url, head_of("GET", url) + "\r\n", limits);
}

Result<Answer> post(const Url& url, std::string_view type, std::string_view body,
                    const Limits& limits) {
  return ask(url,
             head_of("POST", url) + "Content-Type: " + std::string(type) + "\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + std::string(body),
             limits);
}

}  // namespace tactus::http
