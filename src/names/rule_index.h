#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "names/rule.h"
#include "names/tokens/name_tokens.h"

namespace tactus::names {

/// The rule that fits a name.
struct RuleMatch {
  const Rule* rule = nullptr;  ///< null if none fits
  std::string_view library;
  std::string_view uint16;  ///< see RuleTable
  std::size_t at = 0;       ///< the place of the first word of the rule
};

/// All words of all rules in one hash table. So matching looks at each word of a name once, for any
/// number of rules.
class RuleIndex {
 public:
  explicit RuleIndex(std::span<const RuleTable> tables);

  /// Also marks the words of `tokens` that it knows.
  RuleMatch match(NameTokens& tokens) const;

 private:
  static constexpr std::size_t kSlots = 4096;      // a power of two, several times the words
  static constexpr std::size_t kMostWords = 2048;  // in all rules
  static constexpr std::size_t kMostFound = 64;    // different words of one name

  struct Word {
    std::string_view text;
    bool begins = false;               ///< matches all words that begin with it
    std::vector<std::uint16_t> rules;  ///< whose first word it is
  };
  struct Slot {
    std::uint32_t hash = 0;
    std::uint16_t word = 0;  ///< 0: empty
  };
  struct IndexedRule {
    const Rule* rule = nullptr;
    std::string_view library;
    std::string_view uint16;
    std::array<std::uint16_t, 3> others{};  ///< other words that must be there; 0: none
  };
  struct Found {
    std::bitset<kMostWords> seen;
    std::array<std::uint16_t, kMostFound> words;
    std::array<std::uint16_t, kMostFound> at;
    std::size_t count = 0;

    void add(std::uint16_t word, std::size_t token) {
      if (count == kMostFound || seen[word]) return;
      seen[word] = true;
      words[count] = word;
      at[count++] = static_cast<std::uint16_t>(token);
    }
  };

  std::uint16_t add_word(std::string_view text);
  void add_rule(const Rule& rule, const RuleTable& table);
  /// The word with this text, or 0; `part` if the text is only the beginning of one.
  std::uint16_t find(std::uint32_t hash, std::string_view text, bool part) const;
  void find_words(Token& token, std::size_t place, Found& found) const;

  std::vector<Word> words_;  // the first one means "no word"
  std::vector<Slot> slots_;
  std::vector<IndexedRule> rules_;
};

}  // namespace tactus::names
