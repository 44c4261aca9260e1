#pragma once

#include <string>

#include "operators/definition.h"
#include "tactus/operator.h"

namespace tactus {

/// A candidate to start from: a source that compiles, has the tensors of the operator laid out and
/// computes it the plain way where that is a matter of lines, else says where to fill in.
std::string candidate_template(const OperatorDefinition& definition, tactus_device device);

}  // namespace tactus
