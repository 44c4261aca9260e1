#pragma once

#include <span>
#include <vector>

#include "cycles/passes/passes.h"
#include "cycles/repeats/layer_runs.h"

namespace tactus {

/// Passes around layers: where one ends and the next begins.
std::vector<Pass> passes_around(const StreamView& view, std::span<const LayerRun> layers);

}  // namespace tactus
