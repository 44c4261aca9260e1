#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kInfoFields[] = {
    {"source", "text", "", "kind of the first source"},
    {"sources", "list", "", "the files it was made from"},
    {"sources[]", "object", "", "one of them"},
    {"sources[].path", "text", "", "its path"},
    {"sources[].kind", "text", "", "its format"},
    {"sources[].bytes", "integer?", "bytes", "its size"},
    {"sources[].rank", "integer?", "", "rank"},
    {"sources[].host", "text?", "", "host"},
    {"slices", "integer", "", "things that ran for some time"},
    {"kernels", "integer", "", "of these, kernels"},
    {"counters", "integer", "", "samples of counters"},
    {"instants", "integer", "", "things that happened at one time"},
    {"links", "integer", "", "links from launches to kernels and similar"},
    {"patterns", "integer", "", "rows of patterns, if the source is a result already"},
    {"origin_ns", "text?", "", "time of the start, as text because it may exceed 2^53"},
    {"span_ns", "integer", "ns", "from the first to the last event"},
    {"devices", "list", "", "devices"},
    {"devices[]", "object", "", "one of them"},
    {"devices[].id", "integer", "", "its id in Tactus"},
    {"devices[].host", "text?", "", "host"},
    {"devices[].index", "integer?", "", "the number that its process gives it"},
    {"devices[].name", "text?", "", "as the driver reports it"},
    {"devices[].uuid", "text?", "", "uuid"},
    {"devices[].rank", "integer?", "", "rank that uses it"},
    {"processes", "list", "", "processes that have slices"},
    {"processes[]", "object", "", "one of them"},
    {"processes[].id", "integer", "", "its id in Tactus"},
    {"processes[].pid", "text", "", "as the source gives it"},
    {"processes[].os_pid", "integer?", "", "as a number"},
    {"processes[].name", "text?", "", "its name"},
    {"processes[].labels", "text?", "", "its labels"},
    {"processes[].host", "text?", "", "host"},
    {"processes[].rank", "integer?", "", "rank"},
    {"processes[].world_size", "integer?", "", "ranks of its job"},
    {"processes[].container", "text?", "", "container"},
    {"clocks", "list", "", "how the clock of each source maps to the run's"},
    {"clocks[]", "object", "", "one of them"},
    {"clocks[].source", "text", "", "the source"},
    {"clocks[].rank", "integer?", "", "rank"},
    {"clocks[].method", "text", "", "how it was found"},
    {"clocks[].offset_ns", "integer", "ns", "added to its times"},
    {"clocks[].drift_ppm", "number", "ppm", "how much faster it runs"},
    {"clocks[].points", "integer", "", "points used"},
    {"clocks[].residual_ns", "number?", "ns", "how far they are off"},
    {"kinds", "object", "", "slices by kind"},
    {"kinds.*", "integer", "", "how many", kSometimes},
    {"series", "list", "", "counters"},
    {"series[]", "object", "", "one of them"},
    {"series[].name", "text", "", "its name"},
    {"series[].field", "text?", "", "the field of the sample"},
    {"series[].device", "text?", "", "its device"},
    {"series[].host", "text?", "", "host"},
    {"series[].unit", "text?", "", "unit"},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them"},
    {"remarks", "list", "",
     "how it was recorded, in sentences: what its mode or its machine does not give"},
    {"remarks[]", "text", "", "one of them", kSometimes},
};

constexpr JsonField kImportFields[] = {
    {"slices", "integer", "", "slices read"},
    {"kernels", "integer", "", "of these, kernels"},
    {"counters", "integer", "", "samples of counters"},
    {"seconds", "number", "s", "how long it took"},
    {"bytes_in", "integer", "bytes", "read"},
    {"bytes_out", "integer", "bytes", "written"},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them"},
};

}  // namespace

std::span<const JsonField> info_fields() {
  return kInfoFields;
}

std::span<const JsonField> import_fields() {
  return kImportFields;
}

}  // namespace tactus
