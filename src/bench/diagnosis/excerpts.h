#pragma once

#include <vector>

#include "bench/diagnosis/wrong_numbers.h"
#include "bench/results/failure.h"

namespace tactus {

/// A few numbers of each input that has a place like that of a wrong number: the same row, the same
/// column.
std::vector<InputExcerpt> inputs_around(const WrongCall& call, const WrongNumber& number);

}  // namespace tactus
