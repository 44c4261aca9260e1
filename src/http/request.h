#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tactus::http {

/// The head of a request of HTTP/1.1.
struct Request {
  static constexpr std::size_t kLongestHead = 16 << 10;  // [bytes]

  std::string method;  ///< GET
  std::string target;  ///< /api/run/0/kernels?phase=decode, not decoded
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in small letters
  std::uint64_t body_bytes = 0;
  bool keep_alive = true;

  /// Empty if there is none.
  std::string_view header(std::string_view name) const;
  /// The target up to its ?.
  std::string_view path() const;
};

/// Where the head ends, behind its empty line; nothing if it is not all there.
std::optional<std::size_t> end_of_head(std::string_view bytes);

/// Reads a head up to its empty line. What is not plain HTTP/1.0 or 1.1, two lengths or hosts, and
/// bodies in chunks are usage errors.
Result<Request> read_request(std::string_view head);

/// What goes out before a body.
struct AnswerHead {
  int status = 200;
  std::string_view type = "application/json";
  std::string_view encoding;  ///< "gzip"; empty: none
  std::uint64_t body_bytes = 0;
  bool keep_alive = true;
};
/// The head of an answer. `more` are further header lines, each ending in CR LF.
std::string answer_head(const AnswerHead& answer, std::string_view more);

}  // namespace tactus::http
