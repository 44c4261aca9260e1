#pragma once

#include <string_view>

#include "base/result.h"
#include "bounds/roofline/roofline.h"

namespace tactus {

/// Whether `part` is one of the parts of a text such as "sglang/vllm"; an empty one always is.
bool has_part(std::string_view parts, std::string_view part);

bool is_wanted(const Shape& shape, const RooflineQuestion& question);

/// An error that says what there is, if a question asks for what the catalogue does not have.
Status check_question(const Catalogue& catalogue, const RooflineQuestion& question);

}  // namespace tactus
