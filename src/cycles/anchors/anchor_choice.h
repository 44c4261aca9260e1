#pragma once

#include <optional>
#include <span>
#include <string>

#include "cycles/anchors/anchors.h"
#include "cycles/passes/loop_passes.h"

namespace tactus {

/// The anchor that marks the steps of the engine's loop, if there is one. The kernels decide: each
/// instance of an anchor must hold one forward pass. So neither a function that runs once around
/// everything nor a layer counts as a step, even if few whole steps were recorded. Without passes,
/// an anchor must hold the kernels between its first and last instance, and must repeat.
const Anchor* choose_anchor(std::span<const Anchor> anchors, const Loops& loops,
                            const LoopPasses& passes);

/// Programs may name their steps by what is done in them: "prefill" and "decode". The name of all
/// steps together (anchor_parts), if others beside this anchor are whole steps, too, and none lies
/// in another one; empty if there are no others.
std::string name_with_others(const Anchor& anchor, std::span<const Anchor> anchors,
                             const Loops& loops, const LoopPasses& passes);

/// The same for the layers of the steps.
const Anchor* choose_layer_anchor(std::span<const Anchor> anchors, const Loops& loops,
                                  const LoopPasses& passes);

}  // namespace tactus
