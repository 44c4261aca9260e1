#pragma once

#include <cstddef>
#include <string_view>

#include "names/tokens/name_tokens.h"

namespace tactus::names {

/// A qualified name: its own word is what a kernel is called, the others are namespaces and what
/// encloses it.
struct QualifiedName {
  std::string_view own;
  std::size_t begin = 0;  ///< of its words
  std::size_t end = 0;    ///< just after its own word
};

/// Some names have a type before them or template arguments between their words, so all words
/// outside of brackets count; parameters are not there:
///
///   std::enable_if<(8 > 0), void>::type vllm::f<float, 8>(float*) is called f
QualifiedName outer_name(const NameTokens& tokens);

/// The name inside the wrapper that ends at `end`, see is_wrapper: Mine of
/// cutlass::device_kernel<Mine>. Its own word is empty if there is none.
QualifiedName inner_name(const NameTokens& tokens, std::size_t end);

/// What a kernel is called: the outer name, or the one inside its wrappers.
QualifiedName called_name(const NameTokens& tokens);

}  // namespace tactus::names
