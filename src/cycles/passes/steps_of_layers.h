#pragma once

#include <vector>

#include "cycles/passes/annotated_steps.h"
#include "cycles/repeats/layer_runs.h"

namespace tactus {

/// Steps of nothing but layers, with neither an embedding nor a vocabulary between them, look like
/// one pass of very many layers. If annotations say where steps begin, or else if the device idles
/// after every so many layers, far longer than anywhere else, these are the steps: their layers are
/// returned run by run. Otherwise, and for any other stream, what was given.
std::vector<LayerRun> split_into_steps(const StreamView& view, std::vector<LayerRun> layers,
                                       AnnotatedSteps& annotated);

}  // namespace tactus
