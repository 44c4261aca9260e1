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

using Values = std::array<std::int64_t, Column::kBlockRows>;
using GroupNumbers = std::array<std::uint32_t, Column::kBlockRows>;

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
      for (std::size_t i = 0; i < selection.count; ++i) ++rows[numbers[i]];
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

  template <class F>
  static void for_each_place(const Selection& selection, F&& f) {
    if (selection.is_all) {
      for (std::size_t i = 0; i < selection.count; ++i) f(i, i);
    } else {
      for (std::size_t i = 0; i < selection.count; ++i) f(i, std::size_t{selection.places[i]});
    }
  }

  void add_values(const Selection& selection, const std::uint32_t* numbers, std::size_t v) {
    const SummedColumn& summed = task_.values[v];
    const std::size_t width = task_.values.size();
    const std::span<std::int64_t> block(values_.data(), selection.rows);
    summed.column->read(selection.first, block);
    if (numbers == nullptr && selection.count != 0) {
      Totals all = totals[v];
      for_each_place(selection, [&](std::size_t, std::size_t at) {
        const std::int64_t value = block[at];
        if (summed.has_nulls && value < 0) return;
        all.sum += value;
        ++all.count;
        all.low = std::min(all.low, value);
        all.high = std::max(all.high, value);
      });
      totals[v] = all;
      return;
    }
    Totals* of_group = totals.data() + v;
    for_each_place(selection, [&](std::size_t i, std::size_t at) {
      const std::int64_t value = block[at];
      if (summed.has_nulls && value < 0) return;
      Totals& total = of_group[numbers[i] * width];
      total.sum += value;
      ++total.count;
      total.low = std::min(total.low, value);
      total.high = std::max(total.high, value);
    });
  }

  const GroupTask& task_;
  bool is_direct_;
  std::vector<std::uint32_t> number_of_;  ///< by combination
  std::vector<Slot> slots_;               ///< open addressing, a power of two
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
        Totals& into = all.totals[group * width + v];
        const Totals& from = part->totals[i * width + v];
        into.sum += from.sum;
        into.count += from.count;
        into.low = std::min(into.low, from.low);
        into.high = std::max(into.high, from.high);
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
                 if (groups->is_full() || deadline.is_over()) is_given_up = true;
               });
  if (is_given_up) return std::nullopt;
  return merge(task, parts, combinations);
}

}  // namespace tactus::sql
