#include "sql/relation.h"

#include <strings.h>

#include <algorithm>

#include "base/parallel.h"

namespace tactus::sql {
namespace {

constexpr std::size_t kRowsPerPart = 64 * Column::kBlockRows;

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

/// The smallest value, and one that no value is above. Only blocks with far limits are read.
std::optional<std::pair<std::int64_t, std::int64_t>> limits_of(const Column& column,
                                                               unsigned threads) {
  constexpr std::uint64_t kNear = std::uint64_t{1} << 16;
  struct Ends {
    std::int64_t low = INT64_MAX;
    std::int64_t high = INT64_MIN;
  };
  std::vector<Ends> ends(std::max(1U, threads));
  const std::size_t blocks = (column.size() + Column::kBlockRows - 1) / Column::kBlockRows;
  parallel_for(std::max(1U, threads), blocks, [&](std::size_t block, unsigned worker) {
    const std::size_t first = block * Column::kBlockRows;
    Column::Limits limits = column.limits_at(first);
    if (static_cast<std::uint64_t>(wrapping_subtract(limits.high, limits.low)) >= kNear) {
      column.for_each_piece(first, std::min(column.size(), first + Column::kBlockRows),
                            [&](std::size_t, std::span<const std::int64_t> values) {
                              const auto [low, high] =
                                  std::minmax_element(values.begin(), values.end());
                              limits = {.low = *low, .high = *high};
                            });
    }
    ends[worker].low = std::min(ends[worker].low, limits.low);
    ends[worker].high = std::max(ends[worker].high, limits.high);
  });
  Ends all;
  for (const Ends& part : ends) {
    all.low = std::min(all.low, part.low);
    all.high = std::max(all.high, part.high);
  }
  const auto range = static_cast<std::uint64_t>(wrapping_subtract(all.high, all.low));
  if (all.high < all.low || range >= DistinctCache::kWidestRange) return std::nullopt;
  return std::pair(all.low, all.high);
}

std::optional<DistinctCodes> find_distinct(const Column& column, unsigned threads) {
  DistinctCodes found;
  if (column.empty()) return found;
  const auto limits = limits_of(column, threads);
  if (!limits) return std::nullopt;
  const auto range = static_cast<std::size_t>(wrapping_subtract(limits->second, limits->first)) + 1;
  const std::size_t parts = (column.size() + kRowsPerPart - 1) / kRowsPerPart;
  const unsigned workers = std::max(1U, threads);
  std::vector<std::vector<std::uint8_t>> is_used(workers);
  parallel_for(workers, parts, [&](std::size_t part, unsigned worker) {
    std::vector<std::uint8_t>& used = is_used[worker];
    if (used.empty()) used.resize(range, 0);
    const std::size_t last = std::min(column.size(), (part + 1) * kRowsPerPart);
    column.for_each_piece(part * kRowsPerPart, last,
                          [&](std::size_t, std::span<const std::int64_t> codes) {
                            for (const std::int64_t code : codes) {
                              used[static_cast<std::size_t>(code - limits->first)] = 1;
                            }
                          });
  });
  for (std::size_t i = 0; i < range; ++i) {
    for (const std::vector<std::uint8_t>& used : is_used) {
      if (used.empty() || used[i] == 0) continue;
      found.codes.push_back(limits->first + static_cast<std::int64_t>(i));
      break;
    }
  }
  found.low = found.codes.front();
  found.place.resize(static_cast<std::size_t>(found.codes.back() - found.low) + 1, 0);
  for (std::size_t i = 0; i < found.codes.size(); ++i) {
    found.place[static_cast<std::size_t>(found.codes[i] - found.low)] =
        static_cast<std::uint32_t>(i);
  }
  return found;
}

}  // namespace

std::optional<std::size_t> Relation::find(std::string_view column) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (same_word(columns[i].name, column)) return i;
  }
  return std::nullopt;
}

const DistinctCodes* DistinctCache::of(const Column& column, unsigned threads) {
  const auto [at, is_new] = known_.try_emplace(&column);
  if (is_new) at->second = find_distinct(column, threads);
  return at->second ? &*at->second : nullptr;
}

}  // namespace tactus::sql
