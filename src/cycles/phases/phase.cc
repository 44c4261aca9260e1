#include "cycles/phases/phase.h"

namespace tactus {

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kPrefill: return "prefill";
    case Phase::kDecode: return "decode";
    case Phase::kMixed: return "mixed";
    case Phase::kUnknown: break;
  }
  return "unknown";
}

}  // namespace tactus
