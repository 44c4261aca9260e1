#include "bounds/ops/inner_ops.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/arithmetic.h"
#include "bounds/ops/op_call.h"
#include "run/event_view.h"

namespace tactus {
namespace {

constexpr std::uint32_t kMostPerOp = 400;

struct OpRange {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t place = 0;
  std::uint32_t found = 0;
};

using RangesByTrack = std::map<std::int64_t, std::vector<OpRange>>;

RangesByTrack ranges_of(const Run& run, std::span<const std::uint32_t> ops) {
  RangesByTrack ranges;
  std::map<std::int64_t, bool> wanted;  // by name
  for (std::uint32_t place = 0; place < ops.size(); ++place) {
    const std::int64_t name = run.slices.name()[ops[place]];
    const auto [at, is_new] = wanted.try_emplace(name);
    if (is_new) {
      at->second = wants_inner_ops(run.strings[StringId(static_cast<std::uint64_t>(name))]);
    }
    if (!at->second) continue;
    const std::int64_t start = run.slices.start()[ops[place]];
    ranges[run.slices.track()[ops[place]]].push_back(
        {start, wrapping_add(start, run.slices.dur()[ops[place]]), place});
  }
  for (auto& [track, list] : ranges) {
    std::stable_sort(list.begin(), list.end(),
                     [](const OpRange& a, const OpRange& b) { return a.start < b.start; });
  }
  return ranges;
}

}  // namespace

InnerOps find_inner_ops(const Run& run, std::span<const std::uint32_t> ops) {
  InnerOps inner;
  RangesByTrack ranges = ranges_of(run, ops);
  if (ranges.empty()) return inner;
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kInclude, [](SliceKind kind) { return kind == SliceKind::kCpuOp; },
      std::array{&slices.track(), &slices.start()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto [track, start] = values;
        const auto list = ranges.find(track);
        if (list == ranges.end()) return;
        const auto after =
            std::upper_bound(list->second.begin(), list->second.end(), start,
                             [](std::int64_t t, const OpRange& range) { return t < range.start; });
        if (after == list->second.begin()) return;
        OpRange& around = *std::prev(after);
        if (start >= around.end || row == ops[around.place] || around.found == kMostPerOp) return;
        ++around.found;
        inner.rows.push_back(static_cast<std::uint32_t>(row));
        inner.outer.push_back(around.place);
      });
  return inner;
}

}  // namespace tactus
