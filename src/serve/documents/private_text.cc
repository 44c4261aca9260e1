#include "serve/documents/private_text.h"

#include <algorithm>
#include <array>

namespace tactus::serve {
namespace {

constexpr std::size_t kKept = 3;  // last parts of a path

bool is_path_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
         c == '_' || c == '.' || c == '-' || c == '+' || c == '~' || c == '@' || c == '%' ||
         byte >= 0x80;
}

/// Whether a / behind this character begins a path: not in "bytes/s" and "https://".
bool may_begin_path(char before) {
  return !is_path_character(before) && before != ':' && before != '<';
}

std::string_view last_parts(std::string_view path) {
  for (const std::string_view below : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = path.rfind(below);
    if (at != std::string_view::npos) return path.substr(at + below.size());
  }
  std::size_t at = path.size();
  for (std::size_t i = 0; i < kKept && at != std::string_view::npos && at != 0; ++i) {
    at = path.rfind('/', at - 1);
  }
  return at == std::string_view::npos ? path : path.substr(at + 1);
}

/// Of a folder of one's own, not even its name stays.
std::string_view without_home(std::string_view path, std::string_view kept) {
  for (const std::string_view home : {"/home/", "/Users/", "/root/", "/tmp/"}) {
    if (!path.starts_with(home)) continue;
    std::string_view rest = path.substr(home.size());
    if (home == "/home/" || home == "/Users/") {
      const std::size_t slash = rest.find('/');
      rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    }
    if (rest.size() < kept.size()) return rest;
  }
  return kept;
}

}  // namespace

std::string without_paths(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = text[i] == '/' && (i == 0 || may_begin_path(text[i - 1]) ||
                                           (text[i - 1] == ':' && i > 1 && text[i - 2] != 's' &&
                                            i + 1 < text.size() && text[i + 1] != '/'));
    if (!begins) {
      out.push_back(text[i++]);
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_path_character(text[end])) ++end;
    const std::string_view path = text.substr(i, end - i);
    const bool is_path =
        std::count(path.begin(), path.end(), '/') > 1 && path.find("//") == std::string_view::npos;
    out += is_path ? without_home(path, last_parts(path)) : path;
    i = end;
  }
  return out;
}

}  // namespace tactus::serve
