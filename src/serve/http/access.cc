#include "serve/http/access.h"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "base/file.h"

namespace tactus::serve {

Result<std::string> make_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return broke_error("the system gives no random numbers: " + error_text(errno));
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token.push_back("0123456789abcdef"[byte >> 4]);
    token.push_back("0123456789abcdef"[byte & 15]);
  }
  return token;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto left = static_cast<unsigned char>(i < a.size() ? a[i] : '\0');
    difference |= static_cast<unsigned>(left ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

Access::Access(std::string token, std::string host, int port)
    : token_(std::move(token)), host_(std::move(host)), port_(port) {}

bool Access::is_own(std::string_view host) const {
  const std::string port = ":" + std::to_string(port_);
  for (const std::string_view name : {std::string_view("127.0.0.1"), std::string_view("localhost"),
                                      std::string_view("[::1]"), std::string_view(host_)}) {
    if (host == std::string(name) + port) return true;
  }
  return host == "[" + host_ + "]" + port;
}

std::string Access::refusal(const RequestOrigin& from) const {
  if (!is_own(from.host)) {
    return "This server answers only requests to its own address; open the address that tactus "
           "serve printed.";
  }
  constexpr std::string_view kScheme = "http://";
  const bool is_own_page = from.origin.empty() || (from.origin.starts_with(kScheme) &&
                                                   is_own(from.origin.substr(kScheme.size())));
  if (!is_own_page || from.site == "cross-site") {
    return "This server does not answer pages of other sites.";
  }
  return {};
}

std::string safe_file_name(std::string_view given) {
  constexpr std::size_t kLongest = 100;
  const std::size_t slash = given.find_last_of("/\\");
  if (slash != std::string_view::npos) given.remove_prefix(slash + 1);
  std::string name;
  for (const char c : given) {
    const bool harmless = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    name.push_back(harmless ? c : '_');
  }
  if (name.size() > kLongest) name.erase(0, name.size() - kLongest);  // the ending says the format
  while (name.starts_with('.')) name.erase(0, 1);
  return name.empty() ? "upload" : name;
}

}  // namespace tactus::serve
