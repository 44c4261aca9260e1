#pragma once

#include <cstddef>
#include <string>

#include "catalogue/catalogue.h"
#include "views/common/text_table.h"

namespace tactus {

/// The operators of a catalogue: importance, number of shapes, precision, id, name.
TextTable operators_table(const Catalogue& catalogue);

/// The table with a heading that says where the figures come from.
std::string show_operators(const Catalogue& catalogue, std::size_t width);

/// [{"name","id","dtype","importance","shapes",...}]
std::string operators_json(const Catalogue& catalogue);

}  // namespace tactus
