#include "catalogue/embedded_operators.h"

#include "base/embedded.h"

namespace tactus {

TACTUS_EMBED(embedded_operators_json, "operators.json");

}  // namespace tactus
