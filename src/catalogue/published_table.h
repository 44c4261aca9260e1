#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.h"

namespace tactus {

/// The operators that a pasted table of published operators names, as the built-in catalogue knows
/// them, and what the table says otherwise.
struct PublishedTable {
  Catalogue catalogue;
  std::vector<std::string> differences;  ///< sentences
};

/// Reads lines such as "rms_norm atrex_027 | bf16 | 56 | 2.8%", also in a Markdown table. Nothing
/// if the text names fewer than three operators of the built-in catalogue in that way.
std::optional<PublishedTable> read_published_table(std::string_view text);

}  // namespace tactus
