#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/run.h"

namespace tactus {

/// Kernels in launch order, and the calls that launched them.
struct LaunchSequence {
  std::vector<std::uint32_t> kernels;  ///< StringId values; kNoRow if the name is unknown
  std::vector<std::uint32_t> calls;    ///< rows of run.slices
};

/// Finds the calls that captured the kernels which a graph replays. It can match with:
///
/// 1. launches between cudaStreamBeginCapture and its end, which ran nothing themselves; their
///    kernels' names are known on ROCm, only their number is on CUDA
/// 2. kernels that ran without a graph, as the warm-up before a capture does
class CapturedLaunches {
 public:
  explicit CapturedLaunches(const Run& run);

  /// For each kernel of a replay (StringId values of their names, in order), the call that captured
  /// it; kNoRow if there is none.
  std::vector<std::uint32_t> match(std::span<const std::uint32_t> replayed) const;

 private:
  std::vector<std::uint32_t> match_warm_up(std::span<const std::uint32_t> replayed) const;

  std::vector<LaunchSequence> captured_;
  std::vector<LaunchSequence> warm_up_;
};

/// cudaGraphLaunch, hipGraphLaunch and similar.
bool is_graph_launch(std::string_view call);

}  // namespace tactus
