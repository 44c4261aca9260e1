#pragma once

#include <vector>

#include "catalogue/catalogue.h"

namespace tactus::testing {

/// The built-in operators whose figures were published. Those that were added to them have no
/// published id.
inline Catalogue published_catalogue() {
  Catalogue catalogue = built_in_catalogue();
  std::erase_if(catalogue.operators,
                [](const Operator& op) { return !op.id.starts_with("atrex_"); });
  return catalogue;
}

}  // namespace tactus::testing
