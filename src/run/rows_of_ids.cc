#include "run/rows_of_ids.h"

namespace tactus {

void RowsOfIds::prepare() {
  is_wide_ = count_ != 0 && static_cast<std::uint64_t>(wrapping_subtract(high_, low_)) > UINT32_MAX;
  if (is_wide_) {
    wide_.reserve(count_);
  } else {
    entries_.reserve(count_);
  }
}

std::uint64_t RowsOfIds::sort(const Column& start) {
  number_wide_ids();
  if (!std::is_sorted(entries_.begin(), entries_.end())) {
    std::sort(entries_.begin(), entries_.end());
  }
  std::uint64_t duplicates = 0;
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    duplicates += entries_[i] >> 32 == entries_[i - 1] >> 32 ? 1 : 0;
  }
  if (duplicates != 0) find_shared(start);
  return duplicates;
}

void RowsOfIds::number_wide_ids() {
  std::sort(wide_.begin(), wide_.end());
  entries_.reserve(count_);
  for (const auto& [id, row] : wide_) {
    if (ids_.empty() || ids_.back() != id) ids_.push_back(id);
    entries_.push_back((ids_.size() - 1) << 32 | row);
  }
  wide_ = {};
}

void RowsOfIds::find_shared(const Column& start) {
  for (std::size_t begin = 0; begin < entries_.size();) {
    std::size_t end = begin + 1;
    while (end < entries_.size() && entries_[end] >> 32 == entries_[begin] >> 32) ++end;
    if (end - begin > 1) {
      shared_.push_back({begin, end, {row_at(begin), row_at(begin + 1)}});
      std::stable_sort(entries_.begin() + static_cast<std::ptrdiff_t>(begin),
                       entries_.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](std::uint64_t a, std::uint64_t b) {
                         return start[a & UINT32_MAX] < start[b & UINT32_MAX];
                       });
    }
    begin = end;
  }
}

const RowsOfIds::Shared& RowsOfIds::shared_at(std::size_t begin) const {
  return *std::lower_bound(
      shared_.begin(), shared_.end(), begin,
      [](const Shared& shared, std::size_t wanted) { return shared.begin < wanted; });
}

/// Of several rows that started at the same time, the first one.
std::int64_t RowsOfIds::before(const Shared& shared, std::size_t row, const Column& start) const {
  const auto starts_before = [&](std::uint64_t entry, std::int64_t time) {
    return start[entry & UINT32_MAX] < time;
  };
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(shared.begin);
  auto end = std::upper_bound(
      begin, entries_.begin() + static_cast<std::ptrdiff_t>(shared.end), start[row],
      [&](std::int64_t time, std::uint64_t entry) { return time < start[entry & UINT32_MAX]; });
  while (end != begin) {
    auto first = std::lower_bound(begin, end, start[*(end - 1) & UINT32_MAX], starts_before);
    const auto alike = first;
    if ((*first & UINT32_MAX) == row) ++first;
    if (first != end) return static_cast<std::int64_t>(*first & UINT32_MAX);
    end = alike;
  }
  return static_cast<std::int64_t>(shared.first_rows[shared.first_rows[0] == row ? 1 : 0]);
}

}  // namespace tactus
