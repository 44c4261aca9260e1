#include "cycles/passes/loop_passes.h"

#include <algorithm>
#include <map>

namespace tactus {
namespace {

std::size_t kernels_in_passes(const StreamPasses& of) {
  std::size_t kernels = 0;
  for (const Pass& pass : of.passes) kernels += pass.end - pass.first;
  return kernels;
}

std::size_t whole_among(std::span<const PassMark> marks) {
  return static_cast<std::size_t>(std::count_if(
      marks.begin(), marks.end(), [](const PassMark& mark) { return mark.is_whole; }));
}

std::vector<PassMark> marks_of(const Loops& loops, const StreamPasses& of) {
  std::vector<PassMark> marks;
  for (const Pass& pass : of.passes) {
    if (pass.layers == 0) continue;
    const std::size_t layer = (pass.layers_end - pass.layers_first) / pass.layers;
    const std::size_t margin = pass.layers < 3 ? 0 : layer;
    const DeviceItem* first = work_of_row(loops, of.stream.rows[pass.layers_first + margin]);
    const DeviceItem* last = work_of_row(loops, of.stream.rows[pass.layers_end - 1 - margin]);
    if (first == nullptr || last == nullptr) continue;
    marks.push_back({first->at_ns, last->at_ns, pass.complete});
  }
  return marks;
}

}  // namespace

const DeviceItem* work_of_row(const Loops& loops, std::uint32_t row) {
  const auto at = std::lower_bound(
      loops.work.begin(), loops.work.end(), row,
      [](const DeviceItem& item, std::uint32_t wanted) { return item.row < wanted; });
  return at != loops.work.end() && at->row == row ? &*at : nullptr;
}

std::size_t LoopPasses::count() const {
  std::size_t passes = 0;
  for (const std::vector<PassMark>& of_loop : marks) passes += of_loop.size();
  return passes;
}

std::size_t LoopPasses::whole_count() const {
  std::size_t passes = 0;
  for (const std::vector<PassMark>& of_loop : marks) passes += whole_among(of_loop);
  return passes;
}

std::size_t LoopPasses::most_whole() const {
  std::size_t passes = 0;
  for (const std::vector<PassMark>& of_loop : marks) {
    passes = std::max(passes, whole_among(of_loop));
  }
  return passes;
}

std::size_t LoopPasses::usual_layers() const {
  std::map<std::size_t, std::size_t> passes_with;
  for (const StreamPasses* of : streams) {
    if (of == nullptr) continue;
    for (const Pass& pass : of->passes) passes_with[pass.layers] += pass.complete ? 1 : 0;
  }
  std::size_t layers = 0;
  std::size_t most = 0;
  for (const auto& [number, count] : passes_with) {
    if (count <= most) continue;
    layers = number;
    most = count;
  }
  return layers;
}

LoopPasses passes_of_loops(const Loops& loops, std::span<const StreamPasses> streams) {
  LoopPasses found;
  found.streams.resize(loops.loops.size(), nullptr);
  found.marks.resize(loops.loops.size());
  for (const StreamPasses& of : streams) {
    if (of.passes.empty()) continue;
    const DeviceItem* first = work_of_row(loops, of.stream.rows[of.passes.front().first]);
    if (first == nullptr) continue;
    const StreamPasses*& best = found.streams[first->loop];
    if (best == nullptr || kernels_in_passes(of) > kernels_in_passes(*best)) best = &of;
  }
  for (std::size_t loop = 0; loop < found.streams.size(); ++loop) {
    if (found.streams[loop] != nullptr) {
      found.marks[loop] = marks_of(loops, *found.streams[loop]);
    }
  }
  return found;
}

}  // namespace tactus
