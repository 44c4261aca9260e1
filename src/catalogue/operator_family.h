#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tactus {

/// Kinds of operators; a plot has one colour per kind.
inline constexpr std::array<std::string_view, 8> kOperatorFamilies = {
    "attention", "linear attention", "mixture of experts", "matrix product",
    "norm",      "quantisation",     "rope and cache",     "other"};

/// The place in kOperatorFamilies of an operator, by the words in its name.
std::size_t operator_family(std::string_view operator_name);

}  // namespace tactus
