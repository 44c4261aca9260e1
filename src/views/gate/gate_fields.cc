#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kGateFields[] = {
    {"pid", "integer", "", "of the process that is the gate"},
    {"policy", "text", "", "open, priority, share, slo or window"},
    {"max_hold_ns", "integer", "ns",
     "no launch is held for longer; then it goes on as soon as its thread has a core"},
    {"changes", "integer", "", "how often a class was opened or closed"},
    {"refused", "integer", "", "connections that were not let in: other users, other versions"},
    {"classes", "list", "", "of the policy"},
    {"classes[]", "object", "", "one of them", kSometimes},
    {"classes[].name", "text", "", "as the policy calls it"},
    {"classes[].closed", "bool", "", "whether its launches wait now"},
    {"classes[].admitted", "integer?", "", "launches since the gate began; null: not counted"},
    {"classes[].held", "integer", "", "launches that waited"},
    {"classes[].held_ns", "integer", "ns", "how long, all together"},
    {"classes[].expired", "integer", "", "went on because max_hold was over"},
    {"classes[].rested", "integer", "",
     "did not wait because the class was held for half of the last second"},
    {"classes[].longest_ns", "integer", "ns",
     "the longest wait, with the time until its thread had a core"},
    {"classes[].latest_ns", "integer", "ns",
     "the most that a launch went on after its wait was over: its thread had no core"},
    {"classes[].queued", "integer", "", "launches that waited because of the depth limit"},
    {"classes[].queued_ns", "integer", "ns", "how long, all together"},
    {"classes[].cost_ns", "integer?", "ns",
     "GPU time of a launch or graph, as the programs measured it; null: unknown"},
    {"classes[].waiting", "integer", "", "launches that wait now"},
    {"classes[].unfinished", "integer?", "",
     "launches that the program has not waited for yet; null: not counted"},
    {"clients", "list", "", "processes that take part"},
    {"clients[]", "object", "", "one of them", kSometimes},
    {"clients[].pid", "integer", "", "its number"},
    {"clients[].tag", "text?", "", "what it was tagged with"},
    {"clients[].rank", "integer?", "", "RANK of its environment"},
    {"clients[].world_size", "integer?", "", "WORLD_SIZE of its environment"},
    {"clients[].may_be_held", "bool", "", "false: detached, or not all ranks of its job take part"},
    {"dropped", "object", "", "always empty"},
    {"warnings", "list", "", "always empty"},
};

}  // namespace

std::span<const JsonField> gate_fields() {
  return kGateFields;
}

}  // namespace tactus
