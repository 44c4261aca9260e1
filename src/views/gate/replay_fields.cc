#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kPolicyFields[] = {
    {"policy", "text", "", "open, priority, share, slo or window"},
    {"says", "text", "", "what it does, a sentence"},
    {"max_hold_ns", "integer", "ns", "no launch is held for longer"},
    {"classes", "list", "", "of the policy"},
    {"classes[]", "object", "", "one of them", kSometimes},
    {"classes[].name", "text", "", "as the policy calls it"},
    {"classes[].launches", "integer", "", "of kernels and graphs"},
    {"classes[].graphs", "integer", "", "of these, graphs: each is held as one"},
    {"classes[].heads", "integer", "", "of these, kernels that may be held"},
    {"classes[].members", "integer", "",
     "of these, kernels that pass because they follow the head of their group"},
    {"classes[].collectives", "integer", "", "of these, kernels that pass as collectives"},
    {"classes[].units", "integer", "", "from one wait of the host to the next"},
    {"classes[].gpu_ns", "integer", "ns", "GPU time, all together"},
    {"classes[].longest_ns", "integer", "ns", "of the longest kernel or graph"},
    {"classes[].longest", "text?", "", "its name"},
    {"classes[].longest_unit_ns", "integer", "ns", "GPU time of the longest unit"},
    {"classes[].depth", "integer", "", "launches that may be queued; 0: any number"},
    {"classes[].residual_ns", "integer?", "ns",
     "what is still to run when the class is closed, at most; null: unknown"},
    {"unclassified", "integer", "", "launches of no class: never held"},
    {"notes", "list", "", "what could not be told"},
    {"notes[]", "text", "", "one of them", kSometimes},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

constexpr JsonField kSimulationFields[] = {
    {"policy", "text", "", "open, priority, share, slo or window"},
    {"sharing", "text", "",
     "kernels: one after the other as they are ready; slices: processes by turns; side-by-side: at "
     "the same time, each slower than alone"},
    {"slice_ns", "integer", "ns", "slices: how long a turn is, with the switch to it"},
    {"switch_ns", "integer", "ns", "slices: how long nobody gets on when the turn changes"},
    {"handover_ns", "integer", "ns",
     "slices: the same if the last turn was given away for want of work"},
    {"rates", "list", "", "side-by-side: how fast each process gets on beside others"},
    {"rates[]", "object", "", "one process", kSometimes},
    {"rates[].process", "integer", "", "its number"},
    {"rates[].rate", "number", "", "1: as fast as alone"},
    {"no_gate_off", "number", "",
     "how far the simulation without a gate is off what was recorded, as a share; the worst class"},
    {"runs", "list", "", "as it was recorded, simulated without a gate, simulated with it"},
    {"runs[]", "object", "", "one of them"},
    {"runs[].run", "text", "", "recorded, no gate or gate"},
    {"runs[].took_ns", "integer", "ns", "as long as the recording"},
    {"runs[].classes", "list", "", "of the policy"},
    {"runs[].classes[]", "object", "", "one of them", kSometimes},
    {"runs[].classes[].name", "text", "", "as the policy calls it"},
    {"runs[].classes[].units", "integer", "", "from one wait of the host to the next"},
    {"runs[].classes[].between_p50_ns", "integer?", "ns",
     "from the end of a unit to that of the next, median"},
    {"runs[].classes[].between_p99_ns", "integer?", "ns", "the same, 99th percentile"},
    {"runs[].classes[].units_per_s", "number?", "", "units per second"},
    {"runs[].classes[].launches", "integer", "", "launches of the class"},
    {"runs[].classes[].held", "integer", "", "of these, that waited"},
    {"runs[].classes[].held_ns", "integer", "ns", "how long, all together"},
    {"runs[].classes[].expired", "integer", "", "of these, that went on because max_hold was over"},
    {"runs[].classes[].rested", "integer", "",
     "did not wait because the class was held for half of the last second"},
    {"runs[].classes[].queued", "integer", "", "waited because of the depth limit"},
    {"notes", "list", "", "what the recording does not show"},
    {"notes[]", "text", "", "one of them", kSometimes},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::span<const JsonField> gate_explain_fields() {
  return kPolicyFields;
}
std::span<const JsonField> gate_simulate_fields() {
  return kSimulationFields;
}

}  // namespace tactus
