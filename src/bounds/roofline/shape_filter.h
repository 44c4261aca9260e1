#pragma once

#include <string_view>

#include "base/result.h"
#include "bounds/roofline/roofline.h"

namespace tactus {

/// Whether `part` is one of the parts of a text such as "sglang/vllm"; an empty part always is.
bool has_part(std::string_view parts, std::string_view part);

bool is_wanted(const Shape& shape, const RooflineQuestion& question);

/// An error that lists the known values, if a question asks for an unknown one.
Status check_question(const Catalogue& catalogue, const RooflineQuestion& question);

}  // namespace tactus
