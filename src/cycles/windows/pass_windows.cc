#include <algorithm>

#include "base/arithmetic.h"
#include "cycles/windows/cycle_windows.h"
#include "stats/summary.h"

namespace tactus {
namespace {

std::int64_t end_of(const KernelStream& stream, std::size_t kernel) {
  return wrapping_add(stream.starts[kernel], stream.durs[kernel]);
}

/// The window of kernels [first, end); the next window decides when it ends.
CycleWindow window_of_kernels(const Loops& loops, std::uint32_t loop, const KernelStream& stream,
                              std::size_t first, std::size_t end) {
  CycleWindow window{.loop = loop,
                     .start_ns = stream.starts[first],
                     .end_ns = stream.starts[first],
                     .first_kernel = first,
                     .end_kernel = end};
  for (std::size_t i = first; i < end; ++i) {
    window.end_ns = std::max(window.end_ns, end_of(stream, i));
  }
  const DeviceItem* item = work_of_row(loops, stream.rows[first]);
  window.from_ns = item != nullptr ? item->at_ns : window.start_ns;
  const DeviceItem* last = work_of_row(loops, stream.rows[end - 1]);
  window.to_ns =
      std::max(last != nullptr ? wrapping_add(last->at_ns, 1) : window.end_ns, window.end_ns);
  return window;
}

/// Extends each window to the next one, unless there is a pause between.
void join_windows(std::span<CycleWindow> windows) {
  std::vector<std::int64_t> periods;
  for (std::size_t i = 1; i < windows.size(); ++i) {
    periods.push_back(wrapping_subtract(windows[i].start_ns, windows[i - 1].start_ns));
    windows[i].from_ns = std::max(windows[i].from_ns, windows[i - 1].from_ns);
  }
  if (periods.empty()) return;
  const double usual = quantile(periods, 0.5);
  for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
    CycleWindow& window = windows[i];
    const CycleWindow& next = windows[i + 1];
    const bool pauses = is_pause(wrapping_subtract(next.start_ns, window.end_ns), usual,
                                 wrapping_subtract(window.end_ns, window.start_ns));
    if (!pauses) window.end_ns = next.start_ns;
    const std::int64_t to = pauses ? std::min(window.to_ns, next.from_ns) : next.from_ns;
    window.to_ns = std::max(window.from_ns, to);
  }
}

/// Where the layers of a pass begin, and where the last one ends.
std::vector<std::size_t> layer_bounds(const KernelStream& stream, const Pass& pass,
                                      DecodedNames& names) {
  const std::size_t kernels = pass.layers_end - pass.layers_first;
  std::vector<std::size_t> bounds;
  if (pass.layers == 0) return bounds;
  std::vector<std::size_t> attention;
  const bool all_alike = kernels == pass.layers * pass.kernels_per_layer;
  for (std::size_t i = pass.layers_first; !all_alike && i < pass.layers_end; ++i) {
    if (names.of(stream.names[i]).family == Family::kAttention) attention.push_back(i);
  }
  for (std::size_t layer = 0; layer < pass.layers; ++layer) {
    // Layers of different length have their attention at the same distance from their beginning.
    bounds.push_back(attention.size() == pass.layers
                         ? attention[layer] - (attention.front() - pass.layers_first)
                         : pass.layers_first + layer * kernels / pass.layers);
  }
  bounds.push_back(pass.layers_end);
  return bounds;
}

}  // namespace

std::vector<CycleWindow> windows_of_passes(const LoopPasses& passes, const Loops& loops) {
  std::vector<CycleWindow> windows;
  for (std::uint32_t loop = 0; loop < passes.streams.size(); ++loop) {
    if (passes.streams[loop] == nullptr) continue;
    const std::size_t first = windows.size();
    for (const Pass& pass : passes.streams[loop]->passes) {
      if (pass.end <= pass.first) continue;
      windows.push_back(
          window_of_kernels(loops, loop, passes.streams[loop]->stream, pass.first, pass.end));
      windows.back().work = pass.work;
      windows.back().complete = pass.complete;
    }
    join_windows(std::span(windows).subspan(first));
  }
  return windows;
}

std::vector<CycleWindow> layer_windows_of_passes(const LoopPasses& passes, const Loops& loops,
                                                 DecodedNames& names) {
  std::vector<CycleWindow> windows;
  for (std::uint32_t loop = 0; loop < passes.streams.size(); ++loop) {
    if (passes.streams[loop] == nullptr) continue;
    const KernelStream& stream = passes.streams[loop]->stream;
    for (const Pass& pass : passes.streams[loop]->passes) {
      const std::vector<std::size_t> bounds = layer_bounds(stream, pass, names);
      const std::size_t first = windows.size();
      for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
        if (bounds[i] >= bounds[i + 1]) continue;
        windows.push_back(window_of_kernels(loops, loop, stream, bounds[i], bounds[i + 1]));
        windows.back().work = pass.work;
      }
      if (first == windows.size()) continue;
      join_windows(std::span(windows).subspan(first));
      // Kernels after the layers belong to no layer, even if they are launched early.
      const DeviceItem* last = work_of_row(loops, stream.rows[bounds.back() - 1]);
      if (last != nullptr) windows.back().to_ns = std::max(windows.back().from_ns, last->at_ns);
    }
  }
  return windows;
}

}  // namespace tactus
