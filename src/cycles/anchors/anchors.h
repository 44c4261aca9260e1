#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cycles/anchors/anchor_name.h"
#include "cycles/passes/loops.h"

namespace tactus {

struct AnchorInstance {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t row = 0;  ///< of run.slices
  bool is_cut = false;    ///< it began before the recording, or ended after it
};

/// The instances of an anchor in one loop, in the order of time. They do not nest: in a recursion,
/// the outermost counts.
struct AnchoredLoop {
  std::uint32_t loop = 0;  ///< of Loops::loops
  std::vector<AnchorInstance> instances;
};

/// Slices that may mark the cycles of a run.
struct Anchor {
  AnchorName name;
  SliceKind kind = SliceKind::kOther;
  std::vector<AnchoredLoop> loops;  ///< those that have instances, ascending

  std::size_t size() const;
};

struct AnchorSearch {
  SliceKind kind = SliceKind::kAnnotation;
  std::string asked;             ///< only this name, or this Python function; empty for all
  bool layers = false;           ///< only what is named like a layer of a model
  std::size_t most = 1'000'000;  ///< slices of one name in a loop; more than that cannot be an
                                 ///< anchor
};

/// The possible anchors of a kind in a run: names that take a relevant share of the time of the
/// threads that launch kernels. With `asked`, at most one.
std::vector<Anchor> find_anchors(const Run& run, const Loops& loops, const AnchorSearch& search);

}  // namespace tactus
