#pragma once

#include <span>
#include <string_view>

#include "names/kernel_name.h"
#include "names/tokens/name_tokens.h"

namespace tactus::names {

/// Reads data types, tiles and similar parts. `at` is the place of the first word of the rule.
using Reader = void (*)(const NameTokens& tokens, std::size_t at, KernelName& name);

/// The first dtype among the template arguments is that of input and output.
void read_dtype(const NameTokens& tokens, std::size_t at, KernelName& name);

/// Who launches a kernel, for the rules: one certain file, one of several, or unknown.
constexpr Launcher launched_in(std::string_view file, std::string_view function = {}) {
  return {file, function, true};
}
constexpr Launcher perhaps_in(std::string_view file, std::string_view function = {}) {
  return {file, function, false};
}
inline constexpr Launcher kUnknown{};

/// What the kernels with certain words in their names do.
struct Rule {
  /// The words that a name must have, anywhere: "reduce_kernel ArgMaxOps". A word that ends in *
  /// matches the beginning of a word, up to an underscore.
  std::string_view words;
  Family family = Family::kOther;
  std::string_view op;
  Launcher launcher;  ///< no file: unknown
  std::string_view example;
  Reader read = read_dtype;
  std::string_view library;  ///< empty: that of the table
};

/// Rules for the kernels of one library, the most specific first.
struct RuleTable {
  std::string_view library;  ///< empty: the project of each rule's launcher
  std::span<const Rule> rules;
  /// What the library keeps in an unsigned short, if its kernels work on no numbers of that type:
  /// vLLM and TensorRT-LLM pass halves as uint16_t, Composable Kernel's bhalf_t is one.
  std::string_view uint16 = "uint16";
};

/// All tables. If two rules fit, the first one wins.
std::span<const RuleTable> rule_tables();

}  // namespace tactus::names
