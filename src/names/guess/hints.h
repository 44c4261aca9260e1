#pragma once

#include <string_view>

#include "names/kernel_name.h"

namespace tactus::names {

/// What a word in a kernel's name says about the kernel.
struct Hint {
  /// Parts in lower case and without underscores; all of them must occur, in any order. A name has
  /// parts too: they begin after underscores, after digits and at capital letters. What begins with
  /// ^ must begin one of them, and what ends with $ must end one: "^sampl" is in top_k_sampling and
  /// TopKSampling, but not in upsample.
  std::string_view parts;
  Family family;
  std::string_view op;
};

/// The first of all hints that a word has, or null.
const Hint* hint_for(std::string_view word);
/// The first of the hints before `best` that a word has; `best` if there is none.
const Hint* better_hint(std::string_view word, const Hint* best);

}  // namespace tactus::names
