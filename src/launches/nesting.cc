#include "launches/nesting.h"

#include <algorithm>
#include <tuple>

#include "base/arithmetic.h"

namespace tactus {
namespace {

struct NestedSlice {
  std::int64_t track = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  bool is_point = false;
  std::uint32_t index = 0;  ///< of scopes or points
};

std::vector<NestedSlice> in_time_order(const Run& run, std::span<const std::uint32_t> scopes,
                                       std::span<const std::uint32_t> points) {
  std::vector<NestedSlice> slices;
  slices.reserve(scopes.size() + points.size());
  const auto add = [&](std::span<const std::uint32_t> rows, bool is_point) {
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      if (rows[i] == kNoRow) continue;
      const std::int64_t start = run.slices.start()[rows[i]];
      slices.push_back({run.slices.track()[rows[i]], start,
                        wrapping_add(start, run.slices.dur()[rows[i]]), is_point, i});
    }
  };
  add(scopes, false);
  add(points, true);
  std::sort(slices.begin(), slices.end(), [](const NestedSlice& a, const NestedSlice& b) {
    return std::tuple(a.track, a.start, b.end, a.is_point, a.index) <
           std::tuple(b.track, b.start, a.end, b.is_point, b.index);
  });
  return slices;
}

bool is_mostly_inside(const NestedSlice& inner, const NestedSlice& outer) {
  if (inner.end <= outer.end) return true;
  const std::int64_t inside = wrapping_subtract(outer.end, inner.start);
  return inside > wrapping_subtract(inner.end, outer.end);
}

}  // namespace

Nesting nest(const Run& run, std::span<const std::uint32_t> scopes,
             std::span<const std::uint32_t> points) {
  Nesting nesting{std::vector<std::uint32_t>(scopes.size(), kNoRow),
                  std::vector<std::uint32_t>(points.size(), kNoRow)};
  std::vector<NestedSlice> open;
  std::int64_t track = 0;
  for (const NestedSlice& slice : in_time_order(run, scopes, points)) {
    if (slice.track != track) open.clear();
    track = slice.track;
    while (!open.empty() && open.back().end <= slice.start) open.pop_back();
    while (!slice.is_point && !open.empty() && !is_mostly_inside(slice, open.back())) {
      open.pop_back();
    }
    const std::uint32_t around = open.empty() ? kNoRow : open.back().index;
    if (slice.is_point) {
      nesting.innermost[slice.index] = around;
    } else {
      nesting.parent[slice.index] = around;
      open.push_back(slice);
    }
  }
  return nesting;
}

}  // namespace tactus
