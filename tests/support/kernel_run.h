#pragma once

#include <cstdint>
#include <string>

#include "operators/definition.h"
#include "tactus/operator.h"

namespace tactus::testing {

/// Runs an entry for the CPU on a problem drawn from a seed and looks at everything: what it
/// returned, its outputs (all units where there are few), guards beside tensors and workspace,
/// inputs. Says what is wrong, or nothing.
std::string wrong_with_entry(const tactus_entry& entry, const OperatorDefinition& definition,
                             const ShapeParameters& shape, std::uint64_t seed, unsigned threads);

}  // namespace tactus::testing
