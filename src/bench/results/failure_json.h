#pragma once

#include <optional>

#include "base/json.h"
#include "bench/results/failure.h"

namespace tactus {

Json failure_json(const Failure& failure);

/// Nothing if it is not an object. What it does not have stays empty.
std::optional<Failure> failure_of_json(const Json& entry);

}  // namespace tactus
