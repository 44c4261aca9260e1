#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tactus {

/// The value at n/2 of the sorted values: of an even number the larger of the middle two, so that
/// it is one that occurs. They must not be empty.
template <class T>
T upper_median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace tactus
