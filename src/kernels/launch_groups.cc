#include "kernels/launch_groups.h"

namespace tactus {

std::string_view group_evidence_name(GroupEvidence evidence) {
  switch (evidence) {
    case GroupEvidence::kTrace: return "trace";
    case GroupEvidence::kCounts: return "counts";
    case GroupEvidence::kRule: return "rule";
  }
  return "rule";
}

}  // namespace tactus
