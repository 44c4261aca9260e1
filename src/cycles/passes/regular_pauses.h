#pragma once

#include <vector>

#include "cycles/repeats/layer_runs.h"

namespace tactus {

/// Steps of nothing but layers, with neither an embedding nor a vocabulary between them, look like
/// one pass of very many layers. If the device idles after every so many of them, far longer than
/// anywhere else, these are the steps: their layers are returned run by run. Otherwise, and for any
/// other stream, what was given.
std::vector<LayerRun> split_at_regular_pauses(const StreamView& view, std::vector<LayerRun> layers);

}  // namespace tactus
