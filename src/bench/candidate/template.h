#pragma once

#include <string>

#include "operators/definition.h"
#include "tactus/operator.h"

namespace tactus {

/// A candidate to start from: a source that compiles and lists the tensors of the operator. If a
/// few lines are enough, it computes the operator in the plain way; else it says where to fill in.
std::string candidate_template(const OperatorDefinition& definition, tactus_device device);

}  // namespace tactus
