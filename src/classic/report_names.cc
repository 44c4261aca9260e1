#include "classic/report_names.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "base/hash.h"
#include "base/utf8.h"

namespace tactus {
namespace {

constexpr std::size_t kLongestName = 160;  // [bytes]; file systems allow 255, and more is appended
constexpr std::size_t kKept = 140;

}  // namespace

std::string file_name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = byte >= 0x80 || std::isalnum(byte) != 0 || c == '_' || c == '-' || c == '.';
    name.push_back(kept ? c : '_');
  }
  if (name.size() <= kLongestName) return name;
  bool ignored = false;  // the cut may have split a character
  return fmt::format("{}_{:08x}", to_valid_utf8(name.substr(0, kKept), ignored),
                     hash_bytes(text) & 0xFFFFFFFF);
}

void make_unique(std::vector<std::string>& names) {
  const std::set<std::string> given(names.begin(), names.end());
  std::set<std::string> taken;
  for (std::string& name : names) {
    const std::string stem = name;
    for (int version = 2; taken.contains(name) || (name != stem && given.contains(name));
         ++version) {
      name = fmt::format("{}_v{}", stem, version);
    }
    taken.insert(name);
  }
}

}  // namespace tactus
