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
using GroupNumbers = std::array<std::uint32_t, Column::kBlockRows>;

void add_totals(const Totals& from, Totals& into) {
  into.sum += from.sum;
  into.count += from.count;
  into.low = std::min(into.low, from.low);
  into.high = std::max(into.high, from.high);
}

/// The groups that one thread found.
class PartialGroups {
 public:
  PartialGroups(const GroupTask& task, std::uint64_t possible)
      : task_(task), is_direct_(possible <= kMostDirectGroups) {
    if (is_direct_) {
      number_of_.resize(possible, kNone);
    } else {
      slots_.resize(1024, {0, kNone});
    }
  }

  bool is_full() const { return rows.size() > kMostGroups; }
  bool may_overflow() const { return bound_ > kLargestBound; }

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
  std::vector<Totals> totals;  ///< group by group

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

  /// No sum can be further from 0 than all numbers together. The limits of a block are good enough
  /// for that until there are very many rows.
  void add_to_bound(std::span<const std::int64_t> block, Column::Limits limits) {
    const bool are_wide = limits.low == INT64_MIN || limits.high == INT64_MAX;
    if (are_wide || bound_ > (kLargestBound >> 1)) {
      const auto [low, high] = std::minmax_element(block.begin(), block.end());
      limits = {.low = *low, .high = *high};
    }
    const Wide largest = std::max(-static_cast<Wide>(limits.low), static_cast<Wide>(limits.high));
    bound_ += largest * static_cast<Wide>(block.size());
  }

  void add_values(const Selection& selection, const std::uint32_t* numbers, std::size_t v) {
    const SummedColumn& summed = task_.values[v];
    const std::span<std::int64_t> block(values_.data(), selection.rows);
    summed.column->read(selection.first, block);
    add_to_bound(block, summed.column->limits_at(selection.first));
    Totals* of_group = totals.data() + v;
    const std::size_t width = task_.values.size();
    if (selection.count == 0 || may_overflow()) return;
    if (numbers != nullptr && rows.size() <= kFewGroups) {
      add_to_few_groups(selection, numbers, v, block);
      return;
    }
    if (numbers != nullptr) {
      for_each_place(selection, [&](std::size_t i, std::size_t at) {
        add_value(block[at], summed.has_nulls, of_group[numbers[i] * width]);
      });
      return;
    }
    Totals all = *of_group;
    for_each_place(selection, [&](std::size_t, std::size_t at) {
      add_value(block[at], summed.has_nulls, all);
    });
    *of_group = all;
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

  void add_to_few_groups(const Selection& selection, const std::uint32_t* numbers, std::size_t v,
                         std::span<const std::int64_t> block) {
    const std::size_t width = task_.values.size();
    const bool has_nulls = task_.values[v].has_nulls;
    std::array<Totals, kFewGroups * kTurns> turns;
    for_each_place(selection, [&](std::size_t i, std::size_t at) {
      add_value(block[at], has_nulls, turns[numbers[i] * kTurns + i % kTurns]);
    });
    for (std::size_t i = 0; i < rows.size() * kTurns; ++i) {
      add_totals(turns[i], totals[i / kTurns * width + v]);
    }
  }

  static void add_value(std::int64_t value, bool has_nulls, Totals& total) {
    if (has_nulls && value < 0) return;
    total.sum += value;
    ++total.count;
    total.low = std::min(total.low, value);
    total.high = std::max(total.high, value);
  }

  Wide bound_ = 0;
  const GroupTask& task_;
  bool is_direct_;
  std::vector<std::uint32_t> number_of_;      ///< by combination
  std::vector<std::uint32_t> group_of_code_;  ///< by code, of the only key
  std::vector<Slot> slots_;                   ///< open addressing, a power of two
  Values values_;
  std::array<std::uint64_t, Column::kBlockRows> combined_;
  GroupNumbers numbers_;
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
      }
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
  groups.rows = std::move(all.rows);
  groups.totals = std::move(all.totals);
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
