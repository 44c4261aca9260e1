#include "cli/shell_word.h"

#include <string_view>

namespace tactus::cli {

std::string shell_word(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=,:@";
  if (!path.empty() && path.find_first_not_of(kPlain) == std::string::npos) return path;
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace tactus::cli
