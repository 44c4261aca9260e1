#pragma once

#include <optional>

#include "judge/judgement.h"

namespace tactus {

/// The rank that the others wait for, if one stands out in one of the runs. `job` is how the steps
/// of the whole job changed.
std::optional<Straggler> find_straggler(const std::array<Side, 2>& sides,
                                        const std::vector<RankChange>& ranks,
                                        const PhaseChange& job);

}  // namespace tactus
