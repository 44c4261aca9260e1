#pragma once

#include "explain/comparison.h"
#include "judge/judgement.h"

namespace tactus {

/// Whether a cycle of one side is the same work as a cycle of the other. If not, `aligned_by` says
/// what to compare instead; it is empty if nothing can be compared.
Comparability compare_kinds(const Side& normal, const Side& abnormal);

/// Kernels of a whole cycle; 0 if there is none.
double median_launches(const Side& side);

}  // namespace tactus
