#pragma once

#include <span>
#include <vector>

#include "cycles/layer_runs.h"
#include "cycles/passes.h"

namespace tactus {

/// Passes around layers: where one ends and the next begins.
std::vector<Pass> passes_around(const StreamView& view, std::span<const LayerRun> layers);

}  // namespace tactus
