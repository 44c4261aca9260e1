#include "names/display_names.h"

#include <algorithm>
#include <map>
#include <set>

#include "names/short_name.h"
#include "names/tokens/name_tokens.h"

namespace tactus {
namespace {

/// A longer word lists build options: Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_...
constexpr std::size_t kLongWord = 56;
constexpr std::size_t kKeptOfLongWord = 20;
/// Of template arguments that tell two kernels apart.
constexpr std::size_t kMostDetails = 3;

std::string tile_text(const KernelName& name) {
  if (!name.tile) return {};
  std::string text;
  for (const std::optional<int>& part : {name.tile->m, name.tile->n, name.tile->k}) {
    if (part) text += (text.empty() ? "" : "x") + std::to_string(*part);
  }
  return text;
}

std::string type_text(const KernelName& name) {
  std::string text(name.dtype_in);
  if (!name.dtype_out.empty() && name.dtype_out != name.dtype_in) {
    text += (text.empty() ? "to " : " to ") + std::string(name.dtype_out);
  }
  return text;
}

std::string first_form(std::string_view name, const KernelName& decoded) {
  std::string text = short_kernel_name(name, decoded);
  if (text.size() <= kLongWord || text.find(' ') != std::string::npos) return text;
  const std::string tile = tile_text(decoded);
  if (tile.empty()) return text;
  const std::size_t end = text.rfind('_', kKeptOfLongWord);
  return text.substr(0, end == std::string::npos ? kKeptOfLongWord : end) + " " + tile;
}

/// Words and numbers of a name, without its brackets; the build options of a long word one by one.
std::vector<std::string> parts_of(std::string_view name) {
  names::NameTokens tokens;
  names::tokenise(name, tokens);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens.is(i, names::TokenKind::kWord)) {
      std::string_view word = tokens[i].text();
      while (tokens[i].text().size() > kLongWord && word.find('_') != std::string_view::npos) {
        parts.emplace_back(word.substr(0, word.find('_')));
        word.remove_prefix(word.find('_') + 1);
      }
      parts.emplace_back(word);
    }
    if (tokens.is(i, names::TokenKind::kNumber)) parts.push_back(std::to_string(tokens[i].number));
  }
  return parts;
}

/// Makes the texts of some kernels differ, with one kind of detail after the other.
class Telling {
 public:
  Telling(std::span<const std::string_view> names, std::span<const KernelName> decoded,
          std::vector<std::string>& texts)
      : names_(names), decoded_(decoded), texts_(texts) {}

  void run() {
    add_where_equal([&](std::size_t i) { return type_text(decoded_[i]); });
    add_where_equal([&](std::size_t i) { return tile_text(decoded_[i]); });
    add_where_equal([&](std::size_t i) {
      return texts_[i].find(decoded_[i].op) == std::string::npos ? decoded_[i].op : std::string();
    });
    add_differing_parts();
    number_the_rest();
  }

 private:
  /// Groups of kernels that have the same text, each of more than one.
  std::vector<std::vector<std::size_t>> equal_texts() const {
    std::map<std::string_view, std::vector<std::size_t>> by_text;
    for (std::size_t i = 0; i < texts_.size(); ++i) by_text[texts_[i]].push_back(i);
    std::vector<std::vector<std::size_t>> groups;
    for (auto& entry : by_text) {
      std::vector<std::size_t>& members = entry.second;
      const bool differ = std::any_of(members.begin(), members.end(), [&](std::size_t i) {
        return names_[i] != names_[members.front()];
      });
      if (differ) groups.push_back(std::move(members));
    }
    return groups;
  }

  template <class Detail>
  void add_where_equal(const Detail& detail) {
    for (const std::vector<std::size_t>& group : equal_texts()) {
      std::vector<std::string> details;
      details.reserve(group.size());
      for (const std::size_t i : group) details.push_back(detail(i));
      if (std::set<std::string>(details.begin(), details.end()).size() < 2) continue;
      for (std::size_t m = 0; m < group.size(); ++m) {
        if (!details[m].empty()) texts_[group[m]] += " " + details[m];
      }
    }
  }

  /// Template arguments at the first places where the names of a group differ.
  void add_differing_parts() {
    for (const std::vector<std::size_t>& group : equal_texts()) {
      std::vector<std::vector<std::string>> parts;
      std::size_t longest = 0;
      for (const std::size_t i : group) {
        parts.push_back(parts_of(names_[i]));
        longest = std::max(longest, parts.back().size());
      }
      const auto part = [&](std::size_t m, std::size_t place) {
        return place < parts[m].size() ? std::string_view(parts[m][place]) : std::string_view();
      };
      std::size_t added = 0;
      std::vector<std::string> details(group.size());
      for (std::size_t place = 0; place < longest && added < kMostDetails; ++place) {
        bool differs = false;
        for (std::size_t m = 1; m < group.size(); ++m) {
          differs = differs || part(m, place) != part(0, place);
        }
        if (!differs) continue;
        for (std::size_t m = 0; m < group.size(); ++m) {
          if (part(m, place).empty()) continue;
          details[m] += (details[m].empty() ? "" : ", ") + std::string(part(m, place));
        }
        ++added;
      }
      for (std::size_t m = 0; m < group.size(); ++m) {
        if (!details[m].empty()) texts_[group[m]] += " <" + details[m] + ">";
      }
    }
  }

  void number_the_rest() {
    std::set<std::string> taken(texts_.begin(), texts_.end());
    for (const std::vector<std::size_t>& group : equal_texts()) {
      std::map<std::string_view, std::string> numbered;
      for (const std::size_t i : group) {
        std::string& text = numbered[names_[i]];
        for (std::size_t number = 1; text.empty(); ++number) {
          std::string tried = texts_[i] + " #" + std::to_string(number);
          if (taken.insert(tried).second) text = std::move(tried);
        }
        texts_[i] = text;
      }
    }
  }

  std::span<const std::string_view> names_;
  std::span<const KernelName> decoded_;
  std::vector<std::string>& texts_;
};

}  // namespace

std::vector<std::string> display_names(std::span<const std::string_view> names,
                                       std::span<const KernelName> decoded) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) texts.push_back(first_form(names[i], decoded[i]));
  Telling(names, decoded, texts).run();
  return texts;
}

}  // namespace tactus
