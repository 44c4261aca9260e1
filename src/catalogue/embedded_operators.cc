#include "catalogue/embedded_operators.h"

#include "base/embedded.h"

namespace tactus {

TACTUS_EMBED(embedded_operators_json, "operators.json");
TACTUS_EMBED(embedded_generic_operators_json, "generic-operators.json");

}  // namespace tactus
