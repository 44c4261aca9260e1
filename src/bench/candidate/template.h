#pragma once

#include <cstdint>
#include <string>

#include "operators/definition.h"

namespace tactus {

enum class TemplateLanguage : std::uint8_t { kCpp, kCuda, kHip, kTriton, kTorch };

/// A candidate to start from: a source that compiles and lists the tensors of the operator. If a
/// few lines are enough, it computes the operator in the plain way; else it says where to fill in.
std::string candidate_template(const OperatorDefinition& definition, TemplateLanguage language);

/// The same in Python, for an operator in one shape.
std::string python_template(const Problem& problem, TemplateLanguage language);

}  // namespace tactus
