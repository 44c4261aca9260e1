#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kOperatorsFields[] = {
    {"[]", "object", "", "one operator"},
    {"[].name", "text", "", "its name"},
    {"[].id", "text", "", "its id in the catalogue"},
    {"[].dtype", "text", "", "its main type"},
    {"[].importance", "number", "", "how much production time it takes"},
    {"[].shapes", "integer", "", "shapes in the catalogue"},
    {"[].profiles", "integer", "", "profiles that it occurs in"},
    {"[].phase", "text", "", "prefill, decode or both"},
    {"[].origin", "text?", "", "where it comes from"},
};

constexpr JsonField kMineFields[] = {
    {"method", "text", "", "how importance is computed, in a sentence"},
    {"runs", "list", "", "the runs"},
    {"runs[]", "object", "", "one of them"},
    {"runs[].run", "text", "", "its name"},
    {"runs[].hardware", "text?", "", "its machine"},
    {"runs[].total_ns", "integer", "ns", "all its kernels"},
    {"runs[].coverage", "number", "0..1", "share of that with a bound"},
    {"runs[].reasons", "list", "", "why the rest has none"},
    {"runs[].reasons[]", "text", "", "one of them"},
    {"operators", "list", "", "the operators, by importance"},
    {"operators[]", "object", "", "one of them"},
    {"operators[].name", "text", "", "its name"},
    {"operators[].importance", "number", "", "share of the GPU time of all runs"},
    {"operators[].s", "number?", "", "its distance to the bound"},
    {"operators[].calls", "integer", "", "calls in all runs"},
    {"operators[].total_ns", "integer", "ns", "their time"},
    {"operators[].runs", "integer", "", "runs that it occurs in"},
    {"operators[].shapes", "list", "", "its shapes, by time"},
    {"operators[].shapes[]", "object", "", "one of them"},
    {"operators[].shapes[].id", "text", "", "its id"},
    {"operators[].shapes[].op", "text", "", "the framework op"},
    {"operators[].shapes[].label", "text", "", "the shape in words"},
    {"operators[].shapes[].dtype", "text", "", "its type"},
    {"operators[].shapes[].params", "object", "", "its parameters, as in cost_formulas"},
    {"operators[].shapes[].params.*", "number", "", "one of them", kSometimes},
    {"operators[].shapes[].phase", "text?", "", "the phase it occurs in"},
    {"operators[].shapes[].share", "number", "0..1", "of the operator's time"},
    {"operators[].shapes[].calls", "integer", "", "calls"},
    {"operators[].shapes[].at_least", "bool", "", "its bounds count only what is certain"},
    {"operators[].shapes[].times", "list", "", "per machine"},
    {"operators[].shapes[].times[]", "object", "", "one of them"},
    {"operators[].shapes[].times[].hardware", "text?", "", "the machine"},
    {"operators[].shapes[].times[].calls", "integer", "", "calls"},
    {"operators[].shapes[].times[].total_ns", "integer", "ns", "their time"},
    {"operators[].shapes[].times[].med_ns", "number", "ns", "median of a call"},
    {"operators[].shapes[].times[].t_sol_ns", "number?", "ns", "its bound"},
    {"operators[].shapes[].times[].s", "number?", "", "its distance to the bound"},
    {"operators[].shapes[].times[].limit", "text?", "", "compute, memory or launch; null: a link"},
    {"operators[].shapes[].times[].limited_by", "text?", "", "compute, memory, launch or link"},
    {"what_if", "list", "", "answers to --what-if"},
    {"what_if[]", "object", "", "one of them"},
    {"what_if[].operator", "text", "", "the operator"},
    {"what_if[].s", "number", "", "the distance to the bound that was asked about"},
    {"what_if[].s_now", "number?", "", "what it is now"},
    {"what_if[].share", "number", "0..1", "of the GPU time"},
    {"what_if[].saved", "number", "0..1", "of the GPU time"},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the runs"},
    {"warnings[]", "text", "", "one of them"},
};

}  // namespace

std::span<const JsonField> operators_fields() {
  return kOperatorsFields;
}

std::span<const JsonField> mine_fields() {
  return kMineFields;
}

}  // namespace tactus
