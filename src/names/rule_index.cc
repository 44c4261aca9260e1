#include "names/rule_index.h"

#include "base/check.h"
#include "names/dtype_words.h"

namespace tactus::names {
namespace {

constexpr std::uint32_t kHashStart = 2166136261U;

/// FNV-1a: its value is known after every letter.
constexpr std::uint32_t hash_on(std::uint32_t hash, char letter) {
  return (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
}

/// Where the search for a hash begins; the low bits of FNV alone are weak.
constexpr std::size_t spread(std::uint32_t hash) {
  return (hash ^ hash >> 15);
}

std::string_view library_of(const Rule& rule, const RuleTable& table) {
  if (!rule.library.empty()) return rule.library;
  if (!table.library.empty()) return table.library;
  return rule.launcher.file.substr(0, rule.launcher.file.find('/'));
}

}  // namespace

RuleIndex::RuleIndex(std::span<const RuleTable> tables) : words_(1), slots_(kSlots) {
  for (const DtypeWord& dtype : kDtypeWords) add_word(dtype.word);
  for (const RuleTable& table : tables) {
    for (const Rule& rule : table.rules) add_rule(rule, table);
  }
}

std::uint16_t RuleIndex::add_word(std::string_view text) {
  Word word;
  word.begins = text.ends_with('*');
  word.text = word.begins ? text.substr(0, text.size() - 1) : text;
  std::uint32_t hash = kHashStart;
  for (const char letter : word.text) hash = hash_on(hash, letter);
  std::size_t slot = spread(hash) % kSlots;
  for (; slots_[slot].word != 0; slot = (slot + 1) % kSlots) {
    const Word& there = words_[slots_[slot].word];
    if (there.text == word.text && there.begins == word.begins) return slots_[slot].word;
  }
  CHECK(words_.size() < kMostWords);
  slots_[slot] = {hash, static_cast<std::uint16_t>(words_.size())};
  words_.push_back(std::move(word));
  return slots_[slot].word;
}

void RuleIndex::add_rule(const Rule& rule, const RuleTable& table) {
  IndexedRule indexed{&rule, library_of(rule, table), table.uint16};
  std::uint16_t first = 0;
  std::size_t others = 0;
  for (std::string_view rest = rule.words; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::uint16_t word = add_word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (first == 0) {
      first = word;
    } else {
      CHECK(others < indexed.others.size());
      indexed.others[others++] = word;
    }
  }
  words_[first].rules.push_back(static_cast<std::uint16_t>(rules_.size()));
  rules_.push_back(indexed);
}

std::uint16_t RuleIndex::find(std::uint32_t hash, std::string_view text, bool part) const {
  for (std::size_t slot = spread(hash) % kSlots; slots_[slot].word != 0;
       slot = (slot + 1) % kSlots) {
    if (slots_[slot].hash != hash) continue;
    const Word& word = words_[slots_[slot].word];
    if (word.begins == part && word.text == text) return slots_[slot].word;
  }
  return 0;
}

void RuleIndex::find_words(Token& token, std::size_t place, Found& found) const {
  constexpr int kMostParts = 12;  // names of GEMMs can have fifty
  const std::string_view text = token.text();
  std::uint32_t hash = kHashStart;
  int parts = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && i != 0 && parts++ < kMostParts) {
      if (const std::uint16_t word = find(hash, text.substr(0, i), true)) found.add(word, place);
    }
    hash = hash_on(hash, text[i]);
  }
  if (const std::uint16_t word = find(hash, text, true)) found.add(word, place);
  token.known = find(hash, text, false);
  if (token.known > kDtypeWords.size()) found.add(token.known, place);
}

RuleMatch RuleIndex::match(NameTokens& tokens) const {
  Found found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // "(ggml_type)14" is a number with a word.
    const bool has_word = tokens[i].kind == TokenKind::kWord ||
                          (tokens[i].kind == TokenKind::kNumber && tokens[i].size != 0);
    if (has_word) find_words(tokens[i], i, found);
  }
  std::size_t best = rules_.size();
  std::size_t at = 0;
  for (std::size_t i = 0; i < found.count; ++i) {
    for (const std::uint16_t candidate : words_[found.words[i]].rules) {
      if (candidate >= best) break;  // they are in order
      const auto& others = rules_[candidate].others;
      bool fits = true;
      for (const std::uint16_t other : others) fits = fits && (other == 0 || found.seen[other]);
      if (!fits) continue;
      best = candidate;
      at = found.at[i];
      break;
    }
  }
  if (best == rules_.size()) return {};
  return {rules_[best].rule, rules_[best].library, rules_[best].uint16, at};
}

}  // namespace tactus::names
