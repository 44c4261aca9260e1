#pragma once

#include "judge/judgement.h"
#include "judge/phase_samples.h"

namespace tactus {

/// How the steps of one phase changed: typical, mean and tail, shape, parts and efforts.
PhaseChange change_of_phase(const PhaseSamples& samples, PhaseKind phase);

/// The same at the calm level of the steps, which has no tail and no shape.
PhaseChange calm_change_of_phase(const PhaseSamples& samples, const PhaseChange& plain);

}  // namespace tactus
