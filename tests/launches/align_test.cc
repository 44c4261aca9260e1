#include "launches/align.h"

#include <gtest/gtest.h>

#include <random>

namespace tactus {
namespace {

/// The length of the longest common part, by the book.
std::size_t longest_common(const std::vector<std::uint32_t>& a,
                           const std::vector<std::uint32_t>& b) {
  std::vector<std::vector<std::size_t>> length(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      length[i][j] = a[i - 1] == b[j - 1] ? length[i - 1][j - 1] + 1
                                          : std::max(length[i - 1][j], length[i][j - 1]);
    }
  }
  return length[a.size()][b.size()];
}

TEST(Align, finds_the_longest_common_part_of_any_two_sequences) {
  std::mt19937 engine(7);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint32_t> a(random() % 30);
    std::vector<std::uint32_t> b(random() % 30);
    const std::uint32_t symbols = 1 + random() % 6;
    for (std::uint32_t& symbol : a) symbol = random() % symbols;
    for (std::uint32_t& symbol : b) symbol = random() % symbols;
    const auto pairs = align(a, b);
    ASSERT_EQ(pairs.size(), longest_common(a, b));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ASSERT_EQ(a[pairs[i].first], b[pairs[i].second]);
      if (i == 0) continue;
      ASSERT_GT(pairs[i].first, pairs[i - 1].first);
      ASSERT_GT(pairs[i].second, pairs[i - 1].second);
    }
  }
}

TEST(Align, gives_up_on_what_differs_too_much_but_keeps_the_ends) {
  std::vector<std::uint32_t> a(1000);
  std::vector<std::uint32_t> b(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    a[i] = i;
    b[i] = i < 10 || i >= 990 ? i : 5000 + i;
  }
  EXPECT_EQ(align(a, b, 50).size(), 20U);
}

}  // namespace
}  // namespace tactus
