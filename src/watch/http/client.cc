#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "watch/http/connection.h"
#include "watch/http/http.h"

namespace tactus::watch {
namespace {

bool is_same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

template <class T>
std::optional<T> whole(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Head {
  int status = 0;
  std::optional<std::size_t> length;
  bool is_chunked = false;
};

std::optional<Head> read_head(std::string_view text) {
  // HTTP/1.1 200 OK
  if (!text.starts_with("HTTP/1.") || text.size() < 12) return std::nullopt;
  Head head;
  const std::optional<int> status = whole<int>(text.substr(9, 3));
  if (!status) return std::nullopt;
  head.status = *status;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = without_blanks(line.substr(colon + 1));
    if (is_same_word(name, "content-length")) head.length = whole<std::size_t>(value);
    if (is_same_word(name, "transfer-encoding")) head.is_chunked = is_same_word(value, "chunked");
  }
  return head;
}

/// The text of a chunked body; nothing if its end is missing.
std::optional<std::string> join_chunks(std::string_view bytes) {
  std::string body;
  for (;;) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view size_text = without_blanks(bytes.substr(0, end));
    size_text = size_text.substr(0, size_text.find(';'));
    const std::optional<std::size_t> size = whole<std::size_t>(without_blanks(size_text), 16);
    if (!size) return std::nullopt;
    bytes.remove_prefix(end + 1);
    if (*size == 0) return body;
    if (*size > bytes.size() || bytes.size() - *size < 2) return std::nullopt;
    body += bytes.substr(0, *size);
    bytes.remove_prefix(*size);
    bytes.remove_prefix(bytes.front() == '\r' ? 2 : 1);
  }
}

Result<HttpAnswer> ask(const Url& url, const std::string& request, const HttpLimits& limits) {
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
    Result<HttpAnswer> answer = parse_answer(bytes, is_complete);
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

Result<HttpAnswer> parse_answer(std::string_view bytes, bool is_complete) {
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
    return HttpAnswer{head->status, std::move(*joined)};
  }
  if (head->length) {
    if (body.size() < *head->length) return input_error("the answer is cut");
    return HttpAnswer{head->status, std::string(body.substr(0, *head->length))};
  }
  if (!is_complete) return input_error("the answer is cut");
  return HttpAnswer{head->status, std::string(body)};
}

Result<HttpAnswer> http_get(const Url& url, const HttpLimits& limits) {
  return ask(url, head_of("GET", url) + "\r\n", limits);
}

Result<HttpAnswer> http_post(const Url& url, std::string_view type, std::string_view body,
                             const HttpLimits& limits) {
  return ask(url,
             head_of("POST", url) + "Content-Type: " + std::string(type) + "\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + std::string(body),
             limits);
}

}  // namespace tactus::watch
