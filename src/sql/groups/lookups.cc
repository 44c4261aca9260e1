#include "sql/groups/lookups.h"

#include <vector>

#include "base/parallel.h"
#include "sql/scan/selection.h"

namespace tactus::sql {
namespace {

constexpr std::size_t kRowsPerLookUp = 64 * Column::kBlockRows;

/// A column of f(id) for all ids; nothing if the time is over.
template <class F>
std::optional<Column> for_all_ids(const Column& ids, unsigned threads, Deadline& deadline, F&& f) {
  std::vector<Column> parts((ids.size() + kRowsPerLookUp - 1) / kRowsPerLookUp);
  parallel_for(threads, parts.size(), [&](std::size_t part, unsigned) {
    const std::size_t first = part * kRowsPerLookUp;
    const std::size_t last = std::min(ids.size(), first + kRowsPerLookUp);
    std::array<std::int64_t, Column::kBlockRows> found;
    ids.for_each_piece(first, last, [&](std::size_t, std::span<const std::int64_t> piece) {
      if (deadline.is_over()) return;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        found[i] = f(static_cast<std::uint64_t>(piece[i]));
      }
      parts[part].append(std::span<const std::int64_t>(found.data(), piece.size()));
    });
    parts[part].shrink();
  });
  if (deadline.is_over()) return std::nullopt;
  Column all;
  for (Column& part : parts) all.append(std::move(part));
  return all;
}

}  // namespace

const Column* LookUps::numbers(const Column& column, const Column& ids, unsigned threads,
                               Deadline& deadline) {
  const std::pair key(&column, &ids);
  if (const auto at = numbers_.find(key); at != numbers_.end()) return &at->second;
  const std::size_t rows = column.size();
  const std::int64_t other = rows == 0 ? 0 : column[0];
  std::optional<Column> made = for_all_ids(ids, threads, deadline, [&](std::uint64_t id) {
    return id < rows ? column[static_cast<std::size_t>(id)] : other;
  });
  return made ? &numbers_.emplace(key, std::move(*made)).first->second : nullptr;
}

const Column* LookUps::are_there(const Relation& relation, const Column& ids, unsigned threads,
                                 Deadline& deadline) {
  const std::pair key(&relation, &ids);
  if (const auto at = are_there_.find(key); at != are_there_.end()) return &at->second;
  const std::size_t rows = relation.rows();
  const std::vector<Condition> conditions =
      relation.conditions ? relation.conditions() : std::vector<Condition>();
  std::optional<Column> made = for_all_ids(ids, threads, deadline, [&](std::uint64_t id) {
    const bool is_there = id < rows && is_wanted(conditions, static_cast<std::size_t>(id));
    return static_cast<std::int64_t>(is_there);
  });
  return made ? &are_there_.emplace(key, std::move(*made)).first->second : nullptr;
}

}  // namespace tactus::sql
