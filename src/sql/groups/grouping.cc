#include "sql/groups/grouping.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "base/parallel.h"
#include "sql/scan/selection.h"

namespace tactus::sql {
namespace {

constexpr std::size_t kBlocksPerPart = 64;
/// Up to so many combinations of codes, each has a place of its own.
constexpr std::uint64_t kMostDirectGroups = std::uint64_t{1} << 20;
constexpr std::size_t kMostGroups = std::size_t{1} << 22;

/// Of the sums of one thread: those of 32 threads together then fit, too.
constexpr Wide kLargestBound = Wide{1} << 58;

using Values = std::array<std::int64_t, Column::kBlockRows>;
using NumbersOfRows = std::array<std::uint32_t, Column::kBlockRows>;

void add_totals(const Totals& from, Totals& into) {
  into.sum += from.sum;
  into.count += from.count;
  into.low = std::min(into.low, from.low);
  into.high = std::max(into.high, from.high);
}

/// How large the numbers of a column are, all together.
struct Size {
  Wide bound = 0;  ///< no sum is further from 0
  bool has_negative = false;
};

/// The groups that one thread found.
class PartialGroups {
 public:
  PartialGroups(const GroupTask& task, std::uint64_t possible)
      : sizes(task.values.size()), task_(task), is_direct_(possible <= kMostDirectGroups) {
    for (const SummedColumn& value : task.values) needs_all_ |= value.needs_all;
    if (is_direct_) {
      number_of_.resize(possible, kNone);
    } else {
      slots_.resize(1024, {0, kNone});
    }
  }

  bool is_full() const { return rows.size() > kMostGroups; }
  bool may_overflow() const {
    return std::any_of(sizes.begin(), sizes.end(),
                       [](const Size& size) { return size.bound > kLargestBound; });
  }

  /// The number of the group of a combination of codes.
  std::uint32_t number_of(std::uint64_t combination) {
    if (is_direct_) {
      std::uint32_t& number = number_of_[combination];
      if (number == kNone) number = add(combination);
      return number;
    }
    for (std::size_t at = hash(combination) & (slots_.size() - 1);;
         at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.number == kNone) {
        const std::uint32_t number = add(combination);
        slot = {combination, number};
        if (rows.size() * 2 > slots_.size()) grow();
        return number;
      }
      if (slot.combination == combination) return slot.number;
    }
  }

  void add_block(const Selection& selection) {
    const std::uint32_t* numbers = group_numbers(selection);
    if (numbers == nullptr) {
      if (selection.count != 0) rows[number_of(0)] += static_cast<std::int64_t>(selection.count);
    } else {
      count_rows(numbers, selection.count);
    }
    for (std::size_t v = 0; v < task_.values.size(); ++v) add_values(selection, numbers, v);
  }

  std::vector<std::uint64_t> combinations;
  std::vector<std::int64_t> rows;
  std::vector<Totals> totals;   ///< group by group
  std::vector<NumberList> all;  ///< the same places, if all numbers are needed
  std::vector<Size> sizes;      ///< by value

 private:
  struct Slot {
    std::uint64_t combination;
    std::uint32_t number;
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  static std::size_t hash(std::uint64_t key) {
    key ^= key >> 32;
    key *= 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(key ^ key >> 29);
  }

  std::uint32_t add(std::uint64_t combination) {
    combinations.push_back(combination);
    rows.push_back(0);
    totals.resize(totals.size() + task_.values.size());
    if (needs_all_) all.resize(totals.size());
    return static_cast<std::uint32_t>(rows.size() - 1);
  }

  void grow() {
    std::vector<Slot> larger(slots_.size() * 2, {0, kNone});
    for (const Slot& slot : slots_) {
      if (slot.number == kNone) continue;
      std::size_t at = hash(slot.combination) & (larger.size() - 1);
      while (larger[at].number != kNone) at = (at + 1) & (larger.size() - 1);
      larger[at] = slot;
    }
    slots_ = std::move(larger);
  }

  /// The group of each wanted row; null if there are no keys, so that all are in one.
  const std::uint32_t* group_numbers(const Selection& selection) {
    if (task_.keys.empty()) return nullptr;
    if (task_.keys.size() == 1) return numbers_of_one_key(selection);
    combined_.fill(0);
    for (std::size_t k = 0; k < task_.keys.size(); ++k) {
      const DistinctCodes& codes = *task_.codes[k];
      const std::span<std::int64_t> block(values_.data(), selection.rows);
      task_.keys[k]->read(selection.first, block);
      const std::uint64_t size = codes.codes.size();
      const std::uint32_t* place = codes.place.data();
      for_each_place(selection, [&](std::size_t i, std::size_t at) {
        combined_[i] = combined_[i] * size + place[block[at] - codes.low];
      });
    }
    for (std::size_t i = 0; i < selection.count; ++i) numbers_[i] = number_of(combined_[i]);
    return numbers_.data();
  }

  /// The same for one key: a table from codes to groups. Groups that are new are found in a second
  /// pass, so that the first one only looks up.
  const std::uint32_t* numbers_of_one_key(const Selection& selection) {
    const DistinctCodes& codes = *task_.codes.front();
    if (group_of_code_.empty()) group_of_code_.resize(codes.place.size(), kNone);
    task_.keys.front()->read(selection.first, std::span(values_).first(selection.rows));
    const std::int64_t low = codes.low;
    const std::int64_t* values = values_.data();
    std::uint32_t* groups = group_of_code_.data();
    std::uint32_t* numbers = numbers_.data();
    std::uint32_t largest = 0;
    for_each_place(selection, [=, &largest](std::size_t i, std::size_t at) {
      const std::uint32_t number = groups[values[at] - low];
      numbers[i] = number;
      largest = std::max(largest, number);
    });
    if (largest != kNone) return numbers;
    for_each_place(selection, [&](std::size_t i, std::size_t at) {
      if (numbers[i] != kNone) return;
      std::uint32_t& group = groups[values[at] - low];
      if (group == kNone)
        group = number_of(codes.place[static_cast<std::size_t>(values[at] - low)]);
      numbers[i] = group;
    });
    return numbers;
  }

  template <class F>
  static void for_each_place(const Selection& selection, F&& f) {
    if (selection.is_all) {
      for (std::size_t i = 0; i < selection.count; ++i) f(i, i);
    } else {
      for (std::size_t i = 0; i < selection.count; ++i) f(i, std::size_t{selection.places[i]});
    }
  }

  /// The limits of a block are good enough for numbers that are not negative, until there are very
  /// many rows.
  void add_to_size(std::span<const std::int64_t> block, Column::Limits limits, Size& size) const {
    const bool are_wide = limits.low == INT64_MIN || limits.high == INT64_MAX;
    if (!are_wide && limits.low >= 0 && size.bound <= (kLargestBound >> 1)) {
      size.bound += Wide{limits.high} * static_cast<Wide>(block.size());
      return;
    }
    for (const std::int64_t value : block) {
      size.bound += value < 0 ? -static_cast<Wide>(value) : Wide{value};
      size.has_negative |= value < 0;
    }
  }

  void add_values(const Selection& selection, const std::uint32_t* numbers, std::size_t v) {
    const SummedColumn& summed = task_.values[v];
    if (!summed.needs_sum && !summed.needs_limits && !summed.needs_all && !summed.has_nulls) return;
    const std::span<std::int64_t> block(values_.data(), selection.rows);
    summed.column->read(selection.first, block);
    if (summed.needs_sum) {
      add_to_size(block, summed.column->limits_at(selection.first), sizes[v]);
      if (may_overflow()) return;
    }
    if (summed.needs_all) keep_all(selection, numbers, v, block);
    if (summed.has_nulls || summed.needs_limits) {
      add_up(selection, numbers, v,
             [&](std::size_t at, Totals& total) { add_value(block[at], summed.has_nulls, total); });
    } else if (summed.needs_sum) {
      add_up(selection, numbers, v, [&](std::size_t at, Totals& total) { total.sum += block[at]; });
    }
  }

  void keep_all(const Selection& selection, const std::uint32_t* numbers, std::size_t v,
                std::span<const std::int64_t> block) {
    const std::size_t width = task_.values.size();
    const bool has_nulls = task_.values[v].has_nulls;
    for_each_place(selection, [&](std::size_t i, std::size_t at) {
      if (has_nulls && block[at] < 0) return;
      all[(numbers == nullptr ? 0 : numbers[i]) * width + v].add(block[at]);
    });
  }

  /// Calls f(place in the block, totals of the group) for each wanted row.
  template <class F>
  void add_up(const Selection& selection, const std::uint32_t* numbers, std::size_t v, F&& f) {
    const std::size_t width = task_.values.size();
    Totals* of_group = totals.data() + v;
    if (numbers == nullptr) {
      Totals sum = *of_group;
      for_each_place(selection, [&](std::size_t, std::size_t at) { f(at, sum); });
      *of_group = sum;
    } else if (rows.size() > kFewGroups) {
      for_each_place(selection,
                     [&](std::size_t i, std::size_t at) { f(at, of_group[numbers[i] * width]); });
    } else {
      std::array<Totals, kFewGroups * kTurns> turns;
      for_each_place(selection, [&](std::size_t i, std::size_t at) {
        f(at, turns[numbers[i] * kTurns + i % kTurns]);
      });
      for (std::size_t i = 0; i < rows.size() * kTurns; ++i) {
        add_totals(turns[i], of_group[i / kTurns * width]);
      }
    }
  }

  // With few groups, a row mostly adds to the same place as the one before and has to wait for it.
  // Four places per group, taken in turns, keep the processor busy.
  static constexpr std::size_t kFewGroups = 16;
  static constexpr std::size_t kTurns = 4;

  void count_rows(const std::uint32_t* numbers, std::size_t count) {
    if (rows.size() > kFewGroups) {
      for (std::size_t i = 0; i < count; ++i) ++rows[numbers[i]];
      return;
    }
    std::array<std::int64_t, kFewGroups * kTurns> counts{};
    for (std::size_t i = 0; i < count; ++i) ++counts[numbers[i] * kTurns + i % kTurns];
    for (std::size_t i = 0; i < rows.size() * kTurns; ++i) rows[i / kTurns] += counts[i];
  }

  static void add_value(std::int64_t value, bool has_nulls, Totals& total) {
    if (has_nulls && value < 0) return;
    total.sum += value;
    ++total.count;
    total.low = std::min(total.low, value);
    total.high = std::max(total.high, value);
  }

  const GroupTask& task_;
  bool is_direct_;
  bool needs_all_ = false;
  std::vector<std::uint32_t> number_of_;      ///< by combination
  std::vector<std::uint32_t> group_of_code_;  ///< by code, of the only key
  std::vector<Slot> slots_;                   ///< open addressing, a power of two
  Values values_;
  std::array<std::uint64_t, Column::kBlockRows> combined_;
  NumbersOfRows numbers_;
};

Groups merge(const GroupTask& task, std::span<const std::unique_ptr<PartialGroups>> parts,
             std::uint64_t combinations) {
  PartialGroups all(task, combinations);
  const std::size_t width = task.values.size();
  for (const std::unique_ptr<PartialGroups>& part : parts) {
    if (!part) continue;
    for (std::size_t i = 0; i < part->rows.size(); ++i) {
      const std::uint32_t group = all.number_of(part->combinations[i]);
      all.rows[group] += part->rows[i];
      for (std::size_t v = 0; v < width; ++v) {
        add_totals(part->totals[i * width + v], all.totals[group * width + v]);
        if (task.values[v].needs_all) {
          NumberList& numbers = all.all[group * width + v];
          if (numbers.empty()) {
            std::swap(numbers, part->all[i * width + v]);
          } else {
            numbers.add(part->all[i * width + v]);
          }
        }
      }
    }
    for (std::size_t v = 0; v < width; ++v) {
      all.sizes[v].bound += part->sizes[v].bound;
      all.sizes[v].has_negative |= part->sizes[v].has_negative;
    }
  }
  Groups groups;
  const std::size_t keys = task.keys.size();
  groups.codes.resize(all.rows.size() * keys);
  for (std::size_t group = 0; group < all.rows.size(); ++group) {
    std::uint64_t rest = all.combinations[group];
    for (std::size_t k = keys; k-- > 0;) {
      const DistinctCodes& codes = *task.codes[k];
      groups.codes[group * keys + k] = codes.codes[rest % codes.codes.size()];
      rest /= codes.codes.size();
    }
  }
  for (std::size_t v = 0; v < width; ++v) {
    groups.sizes.push_back(all.sizes[v].has_negative ? std::optional(all.sizes[v].bound)
                                                     : std::nullopt);
    if (task.values[v].has_nulls || task.values[v].needs_limits) continue;
    for (std::size_t i = 0; i < all.rows.size(); ++i) all.totals[i * width + v].count = all.rows[i];
  }
  groups.rows = std::move(all.rows);
  groups.totals = std::move(all.totals);
  groups.all = {.numbers = std::move(all.all), .width = width};
  return groups;
}

}  // namespace

std::optional<Groups> group_rows(const GroupTask& task, Deadline& deadline) {
  std::uint64_t combinations = 1;
  for (const DistinctCodes* codes : task.codes) {
    const std::uint64_t size = std::max<std::size_t>(1, codes->codes.size());
    if (combinations > UINT64_MAX / size) return std::nullopt;
    combinations *= size;
  }
  const unsigned threads = std::max(1U, task.threads);
  std::vector<std::unique_ptr<PartialGroups>> parts(threads);
  const std::size_t blocks = (task.rows + Column::kBlockRows - 1) / Column::kBlockRows;
  std::atomic<bool> is_given_up = false;
  parallel_for(threads, (blocks + kBlocksPerPart - 1) / kBlocksPerPart,
               [&](std::size_t part, unsigned worker) {
                 if (is_given_up) return;
                 std::unique_ptr<PartialGroups>& groups = parts[worker];
                 if (!groups) groups = std::make_unique<PartialGroups>(task, combinations);
                 Selection selection;
                 const std::size_t end = std::min(blocks, (part + 1) * kBlocksPerPart);
                 for (std::size_t block = part * kBlocksPerPart; block < end; ++block) {
                   const std::size_t first = block * Column::kBlockRows;
                   select_rows(task.conditions, first,
                               std::min(Column::kBlockRows, task.rows - first), selection);
                   if (selection.count != 0) groups->add_block(selection);
                 }
                 if (groups->is_full() || groups->may_overflow() || deadline.is_over()) {
                   is_given_up = true;
                 }
               });
  if (is_given_up) return std::nullopt;
  return merge(task, parts, combinations);
}

}  // namespace tactus::sql
