#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tactus::sql {

/// Linear between neighbours. Puts the numbers, of which there is at least one, in another order.
template <class Number>
double percentile_of(std::vector<Number>& numbers, double percent) {
  const double place = percent / 100 * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(place));
  std::nth_element(numbers.begin(), numbers.begin() + below, numbers.end());
  const auto low = static_cast<double>(numbers[static_cast<std::size_t>(below)]);
  const double part = place - std::floor(place);
  if (!(part > 0)) return low;
  const auto high =
      static_cast<double>(*std::min_element(numbers.begin() + below + 1, numbers.end()));
  return low + (high - low) * part;
}

/// Numbers in no order. Durations mostly fit in four bytes, which halves the memory to fill.
class NumberList {
 public:
  bool empty() const { return small_.empty() && large_.empty(); }
  void add(std::int64_t number) {
    if (static_cast<std::uint64_t>(number) <= UINT32_MAX) {
      small_.push_back(static_cast<std::uint32_t>(number));
    } else {
      large_.push_back(number);
    }
  }
  void add(const NumberList& other) {
    small_.insert(small_.end(), other.small_.begin(), other.small_.end());
    large_.insert(large_.end(), other.large_.begin(), other.large_.end());
  }
  /// Of at least one number.
  double percentile(double percent);

 private:
  std::vector<std::uint32_t> small_;
  std::vector<std::int64_t> large_;
};

/// All numbers of some columns, by group: those of column v in group g are at g * width + v.
struct GroupNumbers {
  std::vector<NumberList> numbers;
  std::size_t width = 0;
};

/// tactus_percentile(group, value, p): an aggregate over groups, for queries that were rewritten.
/// Several groups of the small table may be one group of the query.
inline constexpr std::string_view kPercentileFunction = "tactus_percentile";
inline constexpr const char* kWrongPercent = "the second argument of percentile() is from 0 to 100";
inline constexpr std::size_t kMostNumbers = std::size_t{1} << 27;  // 1 GiB

/// `groups` must outlive the connection.
int add_percentile_function(sqlite3* database, GroupNumbers& groups);

}  // namespace tactus::sql
