#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/arithmetic.h"
#include "run/column.h"

namespace tactus {

/// Maps the ids of one process to the rows that carry them, in eight bytes per id: the number of
/// the id and the row in one number, sorted. The number of an id is its distance from the smallest
/// one or, if ids are too far apart for that, its place among them. The next look-up is mostly
/// close behind the last one.
class RowsOfIds {
 public:
  void expect(std::int64_t id) {
    low_ = std::min(low_, id);
    high_ = std::max(high_, id);
    ++count_;
  }

  /// All ids have been announced; now they can be put.
  void prepare();

  void put(std::int64_t id, std::size_t row) {
    if (is_wide_) {
      wide_.emplace_back(id, row);
    } else {
      entries_.push_back(distance(id) << 32 | row);
    }
  }

  /// All ids have been put. `start` is that of the rows. Returns how many ids occur more than once.
  std::uint64_t sort(const Column& start);

  /// Of the rows that carry the id, the one that started last before `row`; the first one if none
  /// did, and -1 if there is none besides `row`.
  std::int64_t before(std::int64_t id, std::size_t row, const Column& start) {
    if (id < low_ || id > high_) return -1;
    const std::optional<std::uint64_t> number = is_wide_ ? place(id) : distance(id);
    if (!number) return -1;
    const std::size_t at = find(*number << 32);
    if (at == entries_.size() || entries_[at] >> 32 != *number) return -1;
    const bool is_shared = at + 1 < entries_.size() && entries_[at + 1] >> 32 == *number;
    if (is_shared) return before(shared_at(at), row, start);
    return row_at(at) == row ? -1 : static_cast<std::int64_t>(row_at(at));
  }

 private:
  static constexpr std::ptrdiff_t kNear = 8;

  /// An id that several rows carry: entries [begin, end), by their start.
  struct Shared {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::array<std::size_t, 2> first_rows{};
  };

  std::uint64_t distance(std::int64_t id) const {
    return static_cast<std::uint64_t>(wrapping_subtract(id, low_));
  }
  std::optional<std::uint64_t> place(std::int64_t id) const {
    const auto at = std::lower_bound(ids_.begin(), ids_.end(), id);
    if (at == ids_.end() || *at != id) return std::nullopt;
    return static_cast<std::uint64_t>(at - ids_.begin());
  }
  std::size_t row_at(std::size_t entry) const { return entries_[entry] & UINT32_MAX; }

  void number_wide_ids();
  void find_shared(const Column& start);
  const Shared& shared_at(std::size_t begin) const;
  std::int64_t before(const Shared& shared, std::size_t row, const Column& start) const;

  /// The first entry that is not smaller.
  std::size_t find(std::uint64_t wanted) {
    const bool is_ahead = last_ < entries_.size() && entries_[last_] < wanted;
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(is_ahead ? last_ : 0);
    const bool is_near =
        is_ahead && entries_.size() - last_ > kNear && entries_[last_ + kNear] >= wanted;
    const auto end = is_near ? begin + kNear + 1 : entries_.end();
    last_ = static_cast<std::size_t>(std::lower_bound(begin, end, wanted) - entries_.begin());
    return last_;
  }

  std::int64_t low_ = INT64_MAX;
  std::int64_t high_ = INT64_MIN;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> entries_;
  std::vector<Shared> shared_;
  std::size_t last_ = 0;

  // If ids are further apart than 2^32.
  bool is_wide_ = false;
  std::vector<std::pair<std::int64_t, std::uint64_t>> wide_;  ///< id and row, until all are there
  std::vector<std::int64_t> ids_;                             ///< each once
};

}  // namespace tactus
