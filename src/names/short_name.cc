#include "names/short_name.h"

#include <algorithm>
#include <array>

#include "names/tokens/name_tokens.h"
#include "names/tokens/qualified_name.h"

namespace tactus {
namespace {

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

}  // namespace

std::string short_kernel_name(std::string_view name, const KernelName& decoded) {
  if (decoded.library == "driver") return std::string(name);  // "[CUDA memcpy Host-to-Device]"
  names::NameTokens tokens;
  names::tokenise(name, tokens);
  const std::string_view word = names::called_name(tokens).own;
  if (word.empty()) return std::string(name);
  if (is_one_of(kLoops, word) && !decoded.op.empty()) {
    return std::string(word) + " (" + decoded.op + ")";
  }
  return std::string(word);
}

}  // namespace tactus
