#include "launches/align.h"

#include <algorithm>

namespace tactus {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Symbols = std::span<const std::uint32_t>;

/// Myers' greedy search for the fewest insertions and deletions that turn a into b. `reach[k]` is
/// how far in a the best path on diagonal k = x - y has come; one copy per round is kept to walk
/// back.
class FewestEdits {
 public:
  FewestEdits(Symbols a, Symbols b, std::size_t max_edits)
      : a_(a), b_(b), max_edits_(static_cast<int>(std::min(max_edits, a.size() + b.size()))) {}

  Pairs pairs() {
    std::vector<int> reach(static_cast<std::size_t>(2 * max_edits_ + 3), 0);
    for (int edits = 0; edits <= max_edits_; ++edits) {
      rounds_.push_back(slice(reach, edits));
      for (int k = -edits; k <= edits; k += 2) {
        const bool down = k == -edits || (k != edits && at(reach, k - 1) < at(reach, k + 1));
        int x = down ? at(reach, k + 1) : at(reach, k - 1) + 1;
        // Paths may run past the ends: they match nothing there and never return.
        while (x < size_a() && x - k < size_b() && same(x, x - k)) ++x;
        at(reach, k) = x;
        if (x == size_a() && x - k == size_b()) return walk_back(edits);
      }
    }
    return {};
  }

 private:
  int size_a() const { return static_cast<int>(a_.size()); }
  int size_b() const { return static_cast<int>(b_.size()); }
  bool same(int x, int y) const {
    return a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(y)];
  }
  int& at(std::vector<int>& reach, int k) const {
    const int place = k + max_edits_ + 1;
    return reach[static_cast<std::size_t>(place)];
  }

  /// Diagonals -edits-1 .. edits+1: all that the round can use.
  std::vector<int> slice(const std::vector<int>& reach, int edits) const {
    const auto first = reach.begin() + (max_edits_ - edits);
    const int size = 2 * edits + 3;
    return {first, first + size};
  }

  Pairs walk_back(int edits) const {
    Pairs found;
    int x = size_a();
    int y = size_b();
    for (; edits >= 0; --edits) {
      const std::vector<int>& reach = rounds_[static_cast<std::size_t>(edits)];
      const auto reached = [&](int k) {
        const int place = k + edits + 1;
        return reach[static_cast<std::size_t>(place)];
      };
      const int k = x - y;
      const bool down = k == -edits || (k != edits && reached(k - 1) < reached(k + 1));
      const int from_x = edits == 0 ? 0 : down ? reached(k + 1) : reached(k - 1);
      const int from_y = edits == 0 ? 0 : from_x - (down ? k + 1 : k - 1);
      const int start_x = edits == 0 ? 0 : down ? from_x : from_x + 1;
      for (; x > start_x; --x, --y) {
        found.emplace_back(static_cast<std::uint32_t>(x - 1), static_cast<std::uint32_t>(y - 1));
      }
      x = from_x;
      y = from_y;
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  Symbols a_;
  Symbols b_;
  int max_edits_;
  std::vector<std::vector<int>> rounds_;
};

}  // namespace

Pairs align(Symbols a, Symbols b, std::size_t max_differences) {
  // Equal parts at both ends need no search.
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  Pairs pairs;
  for (std::size_t i = 0; i < head; ++i) {
    pairs.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i));
  }
  const Symbols middle_a = a.subspan(head, a.size() - head - tail);
  const Symbols middle_b = b.subspan(head, b.size() - head - tail);
  for (const auto& [x, y] : FewestEdits(middle_a, middle_b, max_differences).pairs()) {
    pairs.emplace_back(static_cast<std::uint32_t>(head) + x, static_cast<std::uint32_t>(head) + y);
  }
  for (std::size_t i = tail; i > 0; --i) {
    pairs.emplace_back(static_cast<std::uint32_t>(a.size() - i),
                       static_cast<std::uint32_t>(b.size() - i));
  }
  return pairs;
}

}  // namespace tactus
