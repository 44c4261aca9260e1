#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kInjectFields[] = {
    {"scenario", "text", "", "what was injected"},
    {"seconds", "number", "s", "how long it was asked to last"},
    {"intensity", "number", "0..1", "of the most that the scenario does"},
    {"shape", "text", "", "step, ramp, spike or square"},
    {"plan", "object", "", "the limits that were worked out before"},
    {"plan.cores", "integer", "", "on which busy threads may run; 0: it has none"},
    {"plan.memory_bytes", "integer", "bytes", "at most"},
    {"plan.file_bytes", "integer", "bytes", "size of the temporary file, at most"},
    {"plan.bytes_per_s", "number?", "bytes/s", "at intensity 1; null: no limit of a rate"},
    {"plan.text", "text", "", "what it does, in words"},
    {"ending", "text?", "", "done, early, interrupted or killed; null for a dry run"},
    {"problem", "text?", "", "why it ended early"},
    {"started_ns", "text?", "ns", "when the injector was started, since the epoch"},
    {"begin_ns", "text?", "ns", "when the load began, since the epoch"},
    {"end_ns", "text?", "ns", "since the epoch"},
    {"dose", "object?", "", "what was measured; null for a dry run"},
    {"dose.seconds", "number", "s", "how long it lasted", kSometimes},
    {"dose.cores", "number", "", "used, on average", kSometimes},
    {"dose.bytes", "integer", "bytes", "moved, written or sent", kSometimes},
    {"dose.bytes_per_s", "number?", "bytes/s", "of these", kSometimes},
    {"dose.most_bytes", "integer", "bytes", "of memory held at one time", kSometimes},
    {"dose.operations", "integer", "", "slots, writes, stops or launches", kSometimes},
    {"dose.stopped_share", "number", "0..1", "of the time, of the process that stall stops",
     kSometimes},
    {"dropped", "object", "", "always empty"},
    {"warnings", "list", "", "always empty"},
};

constexpr JsonField kScenarioFields[] = {
    {"scenarios", "list", "", "what can be injected"},
    {"scenarios[]", "object", "", "one of them"},
    {"scenarios[].name", "text", "", "its name"},
    {"scenarios[].what", "text", "", "what it does"},
    {"scenarios[].moves", "text", "", "counters that should show it"},
    {"not_built", "list", "", "what would change settings of the machine"},
    {"not_built[]", "object", "", "one of them"},
    {"not_built[].name", "text", "", "its name"},
    {"not_built[].why", "text", "", "what it would need"},
    {"dropped", "object", "", "always empty"},
    {"warnings", "list", "", "always empty"},
};

}  // namespace

std::span<const JsonField> inject_fields() {
  return kInjectFields;
}

std::span<const JsonField> inject_list_fields() {
  return kScenarioFields;
}

}  // namespace tactus
