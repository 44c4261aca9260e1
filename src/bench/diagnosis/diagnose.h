#pragma once

#include "bench/checking/judge.h"
#include "bench/results/bench_row.h"
#include "bench/results/failure.h"

namespace tactus {

/// What can be said about a wrong call: its first wrong numbers, what they depend on, where they
/// are, and which mistakes would give them. A mistake is named only if what it would give agrees,
/// within the tolerance, with all numbers of the units that were tried, and what is right does not.
/// Takes a few seconds at most.
Failure diagnose(const OperatorDefinition& definition, const Problem& problem,
                 const HostTensors& before, const HostTensors& after,
                 const CheckedOutputs& judgement);

/// The same for outputs that were poisoned and have numbers that were not written, whatever part of
/// them was compared. Of large outputs, the beginning is looked at.
Failure diagnose_unwritten(const OperatorDefinition& definition, const Problem& problem,
                           const HostTensors& before, const HostTensors& after);

/// Adds a judgement to a row: counts, errors, tolerance, variant and, if it is wrong, its
/// diagnosis.
void record_judgement(const OperatorDefinition& definition, const Problem& problem,
                      const HostTensors& before, const HostTensors& after,
                      const CheckedOutputs& judgement, BenchRow& row);

}  // namespace tactus
