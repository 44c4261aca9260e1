#pragma once

#include <map>
#include <string>

namespace tactus {

/// How often each thing occurs in a cycle, on average.
using Frequencies = std::map<std::string, double, std::less<>>;

/// What two frequencies share: sum of the smaller over sum of the larger; 1 for two empty ones.
double jaccard(const Frequencies& a, const Frequencies& b);

}  // namespace tactus
