#pragma once

#include <string>
#include <vector>

#include "bench/diagnosis/wrong_numbers.h"

namespace tactus {

/// Where the wrong numbers are and what they are, in words: "out: 3.1% of the compared numbers are
/// wrong", "only in every 16th row, from row 3 on", "all of them are NaN".
std::vector<std::string> wrong_patterns(const WrongCall& call, const WrongNumbers& wrong);

/// True if all wrong numbers still have the bytes that outputs are filled with before a call.
bool are_unwritten(const WrongCall& call, const WrongNumbers& wrong);

}  // namespace tactus
