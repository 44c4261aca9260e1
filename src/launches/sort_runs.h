#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tactus {

/// Sorts values that consist of sorted runs, as sources write them: one kind, thread or rank after
/// the other, each in the order of time. Neighbouring runs are merged; where runs are short, all is
/// sorted. The order of equal values is kept only where `less` has none that are equal.
template <class T, class Less>
void sort_runs(std::vector<T>& values, const Less& less) {
  constexpr std::size_t kShortRun = 32;  // on average; merging these takes as long as sorting
  const auto place = [&](std::size_t index) {
    return values.begin() + static_cast<std::ptrdiff_t>(index);
  };
  std::vector<std::size_t> ends{0};  // of the runs, behind a first one that is empty
  while (ends.back() < values.size()) {
    const auto end = std::is_sorted_until(place(ends.back()), values.end(), less);
    ends.push_back(static_cast<std::size_t>(end - values.begin()));
    if (ends.size() > 8 && ends.size() > values.size() / kShortRun) {
      std::sort(values.begin(), values.end(), less);
      return;
    }
  }
  std::vector<T> left;  // of a pair of runs; std::inplace_merge would ask for new memory each time
  const auto merge = [&](auto first, auto middle, auto end) {
    first = std::upper_bound(first, middle, *middle, less);  // what is before is at its place
    left.assign(first, middle);
    auto next = left.begin();
    while (next != left.end() && middle != end) {
      *first++ = less(*middle, *next) ? *middle++ : *next++;
    }
    std::copy(next, left.end(), first);
  };
  while (ends.size() > 2) {
    std::vector<std::size_t> merged{0};
    for (std::size_t i = 2; i < ends.size(); i += 2) {
      merge(place(ends[i - 2]), place(ends[i - 1]), place(ends[i]));
      merged.push_back(ends[i]);
    }
    if (merged.back() != ends.back()) merged.push_back(ends.back());
    ends = std::move(merged);
  }
}

}  // namespace tactus
