#include "names/short_name.h"

#include <algorithm>
#include <array>

#include "names/tokens/name_tokens.h"
#include "names/wrappers.h"

namespace tactus {
namespace {

using names::NameTokens;
using names::TokenKind;

// Loops over elements; their arguments say what they do.
constexpr std::array<std::string_view, 8> kLoops = {"elementwise_kernel",
                                                    "vectorized_elementwise_kernel",
                                                    "unrolled_elementwise_kernel",
                                                    "index_elementwise_kernel",
                                                    "reduce_kernel",
                                                    "elementwise_kernel_with_index",
                                                    "elementwise_kernel_manual_unroll",
                                                    "kernel"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The last word of the qualified name at `at`; moves `at` past it.
std::string_view last_word(const NameTokens& tokens, std::size_t& at) {
  std::string_view word;
  for (; tokens.is(at, TokenKind::kWord); ++at) word = tokens[at].text();
  return word;
}

}  // namespace

std::string short_kernel_name(std::string_view name, const KernelName& decoded) {
  NameTokens tokens;
  names::tokenise(name, tokens);
  std::size_t at = 0;
  std::string_view word = last_word(tokens, at);
  while (names::is_wrapper(word) && tokens.is(at, TokenKind::kOpenArgs)) {
    std::size_t inner = at + 1;
    // kentry<1, Kernel>: a number comes first
    while (tokens.is(inner, TokenKind::kNumber) || tokens.is(inner, TokenKind::kComma)) ++inner;
    const std::string_view inside = last_word(tokens, inner);
    if (inside.empty()) break;
    word = inside;
    at = inner;
  }
  if (word.empty()) return std::string(name);
  if (is_one_of(kLoops, word) && !decoded.op.empty()) {
    return std::string(word) + " (" + decoded.op + ")";
  }
  return std::string(word);
}

}  // namespace tactus
