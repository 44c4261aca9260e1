#pragma once

#include <span>
#include <string_view>

#include "names/kernel_name.h"

namespace tactus::names {

/// What a word in a kernel's name says about the kernel.
struct Hint {
  /// Words in lower case and without underscores; all of them must occur, in any order, and be
  /// whole words of the name (see WordParts): "sample" is in top_k_sample, not in upsample.
  ///
  ///   a|b   one of the two
  ///   ^a    the first word of the name
  ///   a$    the word without any ending
  ///   *a    the word may be the end of a longer one: sgemm
  ///   a*    ... the beginning of a longer one: gemmk1
  std::string_view words;
  Family family;
  std::string_view op;
};

/// All hints. The first one that a name has decides.
std::span<const Hint> hint_table();

/// The first of all hints that a word has, or null.
const Hint* hint_for(std::string_view word);
/// The first of the hints before `best` that a word has; `best` if there is none.
const Hint* better_hint(std::string_view word, const Hint* best);

}  // namespace tactus::names
