#include "names/guess/word_parts.h"

#include <algorithm>

namespace tactus::names {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

/// What authors and compilers put between words: matmul$241.
constexpr bool is_mark(char c) {
  return c == '_' || c == '-' || c == '$' || c == '.';
}

/// What stands in front of a word without a mark between.
constexpr auto kGluedBefore = std::to_array<std::string_view>(
    {"batch", "batched", "cross", "cu",   "de",   "fast", "flash", "fused",
     "group", "grouped", "hip",   "log",  "mask", "mat",  "multi", "online",
     "paged", "pre",     "re",    "self", "un",   "vec",  "vector"});

/// Endings of English words, and what is said of any kernel.
constexpr auto kGluedBehind = std::to_array<std::string_view>(
    {"s",       "d",    "ed",      "r",    "er",      "ing",     "ize",  "izer", "ized", "izing",
     "ization", "ise",  "iser",    "ised", "isation", "ion",     "ions", "bwd",  "fwd",  "backward",
     "forward", "func", "functor", "impl", "kernel",  "kernels", "op",   "ops"});

/// Words in front of a name that do not say what the kernel does.
constexpr auto kSayNothing = std::to_array<std::string_view>(
    {"cuda", "cu", "device", "fused", "gpu", "hip", "k", "kernel", "launch", "my", "triton"});

}  // namespace

WordParts::WordParts(std::string_view word) {
  char before = '_';
  for (std::size_t i = 0; i < word.size() && size_ < kMost; before = word[i++]) {
    const char c = word[i];
    if (is_mark(c)) continue;
    const char next = i + 1 < word.size() ? word[i + 1] : '_';
    // TopK, RMSNorm (at N)
    const bool capital = is_upper(c) && (!is_upper(before) || is_lower(next));
    const bool other_kind = is_digit(c) != is_digit(before);  // add3, norm2d
    starts_[size_] = is_mark(before) || capital || other_kind;
    text_[size_++] = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  starts_[size_] = true;
  find_first();
}

void WordParts::find_first() {
  for (std::size_t at = 0; at < size_;) {
    std::size_t end = at + 1;
    while (!starts_[end]) ++end;
    const std::string_view word = text().substr(at, end - at);
    if (std::find(kSayNothing.begin(), kSayNothing.end(), word) == kSayNothing.end()) {
      first_ = at;
      return;
    }
    at = end;
  }
}

bool WordParts::begins_here(std::size_t at) const {
  if (starts_[at]) return true;
  const std::string_view before = text().substr(0, at);
  return std::any_of(kGluedBefore.begin(), kGluedBefore.end(), [&](std::string_view glued) {
    return before.ends_with(glued) && starts_[at - glued.size()];
  });
}

bool WordParts::ends_here(std::size_t at) const {
  if (starts_[at]) return true;
  const std::string_view behind = text().substr(at);
  return std::any_of(kGluedBehind.begin(), kGluedBehind.end(), [&](std::string_view glued) {
    return behind.starts_with(glued) && starts_[at + glued.size()];
  });
}

}  // namespace tactus::names
