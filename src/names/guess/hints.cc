#include "names/guess/hints.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <vector>

#include "base/check.h"
#include "names/guess/word_parts.h"

namespace tactus::names {
namespace {

/// The text up to a mark; removes both.
std::string_view take_until(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

/// All words of all hints by their first two letters. So guessing looks at each letter of a name
/// once, for any number of hints.
class HintIndex {
 public:
  HintIndex() {
    for (std::size_t place = 0; place < hint_table().size(); ++place) add(place);
  }

  /// The place of the first hint that a name has, or that of none, which is behind the last.
  std::size_t first(std::string_view name) const {
    const WordParts parts(name);
    const std::string_view text = parts.text();
    Found found;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      for (const std::uint16_t id : by_letters_[letters(text[at], text[at + 1])]) {
        if (!found.seen[id] && words_[id].is_at(parts, at)) found.add(id);
      }
    }
    std::size_t best = hint_table().size();
    for (std::size_t i = 0; i < found.count; ++i) {
      for (const Combination& combination : words_[found.order[i]].combinations) {
        if (combination.hint >= best) break;  // they are in order
        if (!found.has(combination.others)) continue;
        best = combination.hint;
        break;
      }
    }
    return best;
  }

 private:
  static constexpr std::size_t kMostWords = 512;
  static constexpr std::size_t kMostSeen = 64;  // different words in one name
  static constexpr std::size_t kLetters = 32;
  static constexpr std::uint16_t kNoWord = kMostWords;

  using Others = std::array<std::uint16_t, 2>;

  /// A hint, and the words that it needs besides the one that has this.
  struct Combination {
    std::size_t hint;
    Others others;
  };

  struct Word {
    std::string_view text;
    bool is_first = false, is_exact = false, open_before = false, open_behind = false;
    std::vector<Combination> combinations;  // of which it is the first word

    explicit Word(std::string_view written) : text(written) {
      const auto take_front = [&](char mark) {
        const bool has = text.starts_with(mark);
        if (has) text.remove_prefix(1);
        return has;
      };
      const auto take_back = [&](char mark) {
        const bool has = text.ends_with(mark);
        if (has) text.remove_suffix(1);
        return has;
      };
      is_first = take_front('^');
      open_before = take_front('*');
      is_exact = take_back('$');
      open_behind = take_back('*');
    }

    bool is_same(const Word& other) const {
      return text == other.text && is_first == other.is_first && is_exact == other.is_exact &&
             open_before == other.open_before && open_behind == other.open_behind;
    }

    bool is_at(const WordParts& parts, std::size_t at) const {
      const std::string_view rest = parts.text().substr(at);
      if (!rest.starts_with(text)) return false;
      const std::size_t end = at + text.size();
      if (text == "gemm" && rest.starts_with("gemma") && !parts.starts(end))
        return false;  // a model
      if (is_first && at != parts.first()) return false;
      if (is_exact) return parts.starts(at) && parts.starts(end);
      return (open_before || parts.begins_here(at)) && (open_behind || parts.ends_here(end));
    }
  };

  struct Found {
    std::bitset<kMostWords> seen;
    std::array<std::uint16_t, kMostSeen> order;
    std::size_t count = 0;

    void add(std::uint16_t id) {
      seen[id] = true;
      if (count < kMostSeen) order[count++] = id;
    }
    bool has(const Others& others) const {
      return std::all_of(others.begin(), others.end(),
                         [&](std::uint16_t id) { return id == kNoWord || seen[id]; });
    }
  };

  static std::size_t letters(char first, char second) {
    return static_cast<std::size_t>(first) % kLetters * kLetters +
           static_cast<std::size_t>(second) % kLetters;
  }

  /// Each choice of alternatives is a combination of its own.
  void add(std::size_t place) {
    std::array<std::vector<std::uint16_t>, 3> choices;
    std::size_t count = 0;
    for (std::string_view rest = hint_table()[place].words; !rest.empty(); ++count) {
      CHECK(count < choices.size());
      for (std::string_view group = take_until(rest, ' '); !group.empty();) {
        choices[count].push_back(id_of(take_until(group, '|')));
      }
    }
    for (; count < choices.size(); ++count) choices[count] = {kNoWord};
    for (const std::uint16_t first : choices[0]) {
      for (const std::uint16_t second : choices[1]) {
        for (const std::uint16_t third : choices[2]) {
          words_[first].combinations.push_back({place, {second, third}});
        }
      }
    }
  }

  std::uint16_t id_of(std::string_view written) {
    Word wanted(written);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i].is_same(wanted)) return static_cast<std::uint16_t>(i);
    }
    CHECK(wanted.text.size() > 1 && words_.size() < kMostWords);
    const auto id = static_cast<std::uint16_t>(words_.size());
    by_letters_[letters(wanted.text[0], wanted.text[1])].push_back(id);
    words_.push_back(std::move(wanted));
    return id;
  }

  std::vector<Word> words_;
  std::array<std::vector<std::uint16_t>, kLetters * kLetters> by_letters_;
};

}  // namespace

const Hint* better_hint(std::string_view word, const Hint* best) {
  static const HintIndex index;  // never changes; made at the first use
  const std::size_t place = index.first(word);
  const Hint* hint = place == hint_table().size() ? nullptr : &hint_table()[place];
  return hint == nullptr || (best != nullptr && best < hint) ? best : hint;
}

const Hint* hint_for(std::string_view word) {
  return better_hint(word, nullptr);
}

}  // namespace tactus::names
