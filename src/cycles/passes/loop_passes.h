#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cycles/passes/loops.h"
#include "cycles/passes/run_passes.h"

namespace tactus {

/// A forward pass as the host saw it: when its inner layers were launched. Kernels cannot tell
/// where exactly the outermost layers begin and end.
struct PassMark {
  std::int64_t first_at_ns = 0;
  std::int64_t last_at_ns = 0;
  bool is_whole = true;
};

/// The passes of each loop, on the stream with most of them.
struct LoopPasses {
  std::vector<const StreamPasses*> streams;  ///< by loop; null where there are no passes
  std::vector<std::vector<PassMark>> marks;  ///< by loop, in the order of time

  std::size_t count() const;
  std::size_t whole_count() const;
  /// Of the loop that has most of them.
  std::size_t most_whole() const;
  /// The number of layers that most whole passes have; 0 if no pass is whole.
  std::size_t usual_layers() const;
};

/// The streams must live as long as the result.
LoopPasses passes_of_loops(const Loops& loops, std::span<const StreamPasses> streams);

/// The work of a slice; null if it is not device work.
const DeviceItem* work_of_row(const Loops& loops, std::uint32_t row);

}  // namespace tactus
