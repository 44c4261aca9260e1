#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace tactus {
namespace {

/// Letters to insert, delete or replace to get from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view typed, std::span<const std::string_view> words) {
  constexpr std::size_t kLongestWord = 64;  // longer words are not typing errors
  if (typed.empty() || typed.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = typed.size() / 2 + 2;
  for (const std::string_view word : words) {
    // If one name is part of the other, it is a better hint than the missing letters suggest.
    const bool part = typed.size() >= 3 && word.find(typed) != std::string_view::npos;
    const std::size_t distance = part ? 1 : edit_distance(typed, word);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tactus
