#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::sql {

/// A word, number, text or sign of a query.
struct Token {
  enum class Kind : std::uint8_t { kWord, kNumber, kText, kSign };

  Kind kind = Kind::kSign;
  std::string_view text;  ///< as it is written

  bool is_sign(std::string_view sign) const { return kind == Kind::kSign && text == sign; }
  /// Compares words as SQL does: a and A are the same.
  bool is_word(std::string_view word) const;
};

using Tokens = std::span<const Token>;

/// Cuts a query into tokens, without comments. Nothing if it holds what simple queries do not have:
/// quoted names, parameters, blobs.
std::optional<std::vector<Token>> cut_tokens(std::string_view query);

bool same_tokens(Tokens a, Tokens b);
/// The tokens as text again.
std::string text_of(Tokens tokens);

}  // namespace tactus::sql
