#include "views/export/perfetto_lanes.h"

#include <algorithm>
#include <tuple>

namespace tactus {

void Lanes::sort(std::vector<LaneSlice>& slices) {
  const auto before = [](const LaneSlice& a, const LaneSlice& b) {
    return std::tuple(a.start_ns, b.end_ns, a.row) < std::tuple(b.start_ns, a.end_ns, b.row);
  };
  if (!std::is_sorted(slices.begin(), slices.end(), before)) {
    std::sort(slices.begin(), slices.end(), before);
  }
}

}  // namespace tactus
