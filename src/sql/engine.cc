#include "sql/engine.h"

#include <strings.h>

#include <algorithm>
#include <numeric>

namespace tactus::sql {

RowIndex::RowIndex(const Column& column) : rows_(column.size()) {
  std::vector<std::int64_t> codes(column.size());
  column.read(0, codes);
  std::iota(rows_.begin(), rows_.end(), 0U);
  std::stable_sort(rows_.begin(), rows_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return codes[a] < codes[b]; });
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::int64_t code = codes[rows_[i]];
    if (first_of_code_.empty() || first_of_code_.back().first != code) {
      first_of_code_.emplace_back(code, static_cast<std::uint32_t>(i));
    }
  }
}

std::span<const std::uint32_t> RowIndex::rows_of(std::int64_t code) const {
  const auto at = std::lower_bound(first_of_code_.begin(), first_of_code_.end(),
                                   std::pair(code, std::uint32_t{0}));
  if (at == first_of_code_.end() || at->first != code) return {};
  const std::size_t end = at + 1 == first_of_code_.end() ? rows_.size() : (at + 1)->second;
  return std::span(rows_).subspan(at->second, end - at->second);
}

const Relation* Engine::find(std::string_view name) const {
  for (const Relation& relation : relations) {
    const bool is_same = relation.name.size() == name.size() &&
                         ::strncasecmp(relation.name.data(), name.data(), name.size()) == 0;
    if (is_same) return &relation;
  }
  return nullptr;
}

BlockLimits& Engine::block_limits(const Column& column) {
  BlockLimits& limits = block_limits_[&column];
  for (std::size_t row = limits.size() * Column::kBlockRows; row < column.size();
       row += Column::kBlockRows) {
    limits.push_back(column.limits_at(row));
  }
  return limits;
}

const RowIndex* Engine::index_of(const Column& column) {
  constexpr int kScansBeforeIndex = 3;
  Asked& asked = asked_[&column];
  if (!asked.index && ++asked.times > kScansBeforeIndex) asked.index.emplace(column);
  return asked.index ? &*asked.index : nullptr;
}

}  // namespace tactus::sql
