#pragma once

#include <optional>
#include <span>

#include "cycles/anchors/anchors.h"
#include "cycles/passes/loop_passes.h"

namespace tactus {

/// Kernels that were launched in [from, to).
std::size_t kernels_between(const Loop& loop, std::int64_t from_ns, std::int64_t to_ns);

/// The anchor that marks the steps of the engine's loop, if one does. The kernels are the referee:
/// an anchor has to hold one forward pass an instance, so that neither what runs once around
/// everything nor a layer is taken for a step, however few whole steps were recorded. Without
/// passes it has to hold the kernels between its first and last instance, and be repeated.
const Anchor* choose_anchor(std::span<const Anchor> anchors, const Loops& loops,
                            const LoopPasses& passes);

/// The same for the layers of the steps.
const Anchor* choose_layer_anchor(std::span<const Anchor> anchors, const Loops& loops,
                                  const LoopPasses& passes);

}  // namespace tactus
