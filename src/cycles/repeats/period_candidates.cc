#include "cycles/repeats/period_candidates.h"

#include <algorithm>

namespace tactus {

void PeriodCandidates::count(std::size_t distance) {
  if (distance < shortest_ || distance >= counts_.size()) return;
  if (counts_[distance]++ == 0) distances_.push_back(distance);
}

const std::vector<std::size_t>& PeriodCandidates::find(std::size_t begin, std::size_t end) {
  distances_.clear();
  constexpr std::uint64_t kThree = (std::uint64_t{1} << 63) - 1;
  std::uint64_t three = 0;  // the last three symbols, 21 bits each
  for (std::size_t i = begin; i < end; ++i) {
    three = ((three << 21) ^ symbols_[i]) & kThree;
    if (i < begin + 2) continue;
    Seen& seen = seen_at((three * 0x9E3779B97F4A7C15ULL) >> (64 - kSlotBits));
    for (const std::size_t after : seen) {
      if (after <= begin) break;
      count(i + 1 - after);
    }
    seen = {i + 1, seen[0]};
  }

  found_ = distances_;
  const auto is_better = [&](std::size_t a, std::size_t b) {
    return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : a < b;
  };
  if (found_.size() > kCandidates) {
    std::nth_element(found_.begin(), found_.begin() + kCandidates, found_.end(), is_better);
    found_.resize(kCandidates);
  }
  std::sort(found_.begin(), found_.end());
  for (const std::size_t distance : distances_) counts_[distance] = 0;
  return found_;
}

}  // namespace tactus
