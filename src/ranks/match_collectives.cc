#include <algorithm>
#include <map>

#include "ranks/collectives.h"

namespace tactus {
namespace {

constexpr std::int64_t kClockSkewNs = 50'000;  // clocks of devices differ by that

/// The calls of one group and, if they have no numbers, of one kind; by rank, then by start.
using CallsOfRanks = std::map<std::uint32_t, std::vector<const CollectiveCall*>>;

std::int64_t overlap_ns(const CollectiveCall& a, const CollectiveCall& b) {
  return std::min(a.end_ns, b.end_ns) - std::max(a.start_ns, b.start_ns);
}

/// Which call of a rank is the same collective as the first of the rank that began last.
std::size_t first_match(const std::vector<const CollectiveCall*>& calls,
                        const CollectiveCall& reference) {
  // Those that end before the reference begins cannot be it.
  std::size_t best = 0;
  while (best + 1 < calls.size() && calls[best]->end_ns <= reference.start_ns) ++best;
  if (best + 1 < calls.size() &&
      overlap_ns(*calls[best + 1], reference) > overlap_ns(*calls[best], reference)) {
    ++best;
  }
  return best;
}

class Matcher {
 public:
  explicit Matcher(const Collectives& collectives) : collectives_(collectives) {}

  MatchedCollectives match() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, CallsOfRanks> by_order;  // group, kind
    std::map<std::pair<std::uint32_t, std::int64_t>, CallsOfRanks> by_number;  // group, number
    for (const auto& calls : collectives_.of_rank) {
      for (const CollectiveCall& call : calls) {
        ++calls_;
        if (call.number >= 0) {
          by_number[{call.group, call.number}][call.rank].push_back(&call);
        } else {
          by_order[{call.group, call.kind}][call.rank].push_back(&call);
        }
      }
    }
    for (const auto& [key, ranks] : by_number) add_in_order(ranks);
    for (const auto& [key, ranks] : by_order) add_in_order(ranks);
    found_.begins.push_back(found_.calls.size());
    found_.unmatched = calls_ - found_.calls.size();
    return std::move(found_);
  }

 private:
  void add_in_order(const CallsOfRanks& ranks) {
    if (ranks.size() < 2) return;
    const CollectiveCall* reference = nullptr;
    for (const auto& [rank, calls] : ranks) {
      if (reference == nullptr || calls.front()->start_ns > reference->start_ns) {
        reference = calls.front();
      }
    }
    std::vector<std::pair<const std::vector<const CollectiveCall*>*, std::size_t>> at;
    std::size_t count = SIZE_MAX;
    for (const auto& [rank, calls] : ranks) {
      at.emplace_back(&calls, first_match(calls, *reference));
      count = std::min(count, calls.size() - at.back().second);
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t last_start = INT64_MIN;
      std::int64_t first_end = INT64_MAX;
      std::int64_t tolerance = kClockSkewNs;
      for (const auto& [calls, first] : at) {
        const CollectiveCall& call = *(*calls)[first + i];
        last_start = std::max(last_start, call.start_ns);
        first_end = std::min(first_end, call.end_ns);
        tolerance = std::max(tolerance, call.dur_ns());
      }
      if (last_start - first_end > tolerance) continue;
      found_.begins.push_back(found_.calls.size());
      for (const auto& [calls, first] : at) found_.calls.push_back(*(*calls)[first + i]);
    }
  }

  const Collectives& collectives_;
  std::size_t calls_ = 0;
  MatchedCollectives found_;
};

}  // namespace

MatchedCollectives match_collectives(const Collectives& collectives) {
  return Matcher(collectives).match();
}

}  // namespace tactus
