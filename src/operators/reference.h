#pragma once

#include "operators/definition.h"

namespace tactus {

/// Computes the outputs exactly as they are defined, each rounded once.
void run_reference(const OperatorDefinition& definition, const Problem& problem,
                   const HostTensors& tensors, unsigned threads);

}  // namespace tactus
