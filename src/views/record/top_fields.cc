#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kTopFields[] = {
    {"pid", "integer", "", "the process that is watched"},
    {"command", "text", "", "how it was started"},
    {"ended", "bool", "", "whether it has ended"},
    {"seconds", "number", "s", "how long it was watched; rates are over this time, 2 s at most"},
    {"processes", "integer", "", "below it, with the agent inside"},
    {"threads", "integer", "", "that launched"},
    {"steps_per_second", "number?", "1/s", "what a thread launches until it waits is a step"},
    {"step_ns", "integer?", "ns", "median length of a step"},
    {"slowest_step_ns", "integer?", "ns", "the longest"},
    {"gpu_busy", "number?", "0..1", "from GPU times of steps; without any, as NVML says"},
    {"launches_per_second", "number?", "1/s", "of kernels"},
    {"graphs_per_second", "number?", "1/s", "launches of CUDA graphs"},
    {"copies_per_second", "number?", "1/s", "calls that copy"},
    {"kernels", "list", "", "kernels and graphs, most launches first"},
    {"kernels[]", "object", "", "one of them", kSometimes},
    {"kernels[].name", "text", "", "its name; without the agent, its address"},
    {"kernels[].per_second", "number", "1/s", "launches"},
    {"kernels[].call_share", "number?", "0..1",
     "time in its launch calls, of the time of threads that launch"},
    {"calls", "list", "", "calls of the driver, longest first"},
    {"calls[]", "object", "", "one kind", kSometimes},
    {"calls[].what", "text", "", "launch, copy, wait for the GPU, allocate"},
    {"calls[].share", "number", "0..1", "of the time of threads that launch"},
    {"host", "list?", "", "what threads that launch do on the host; null without --host"},
    {"host[]", "object", "", "one kind", kSometimes},
    {"host[].what", "text", "", "on a core, ready without a core, or what it waits for"},
    {"host[].share", "number", "0..1", "of their time"},
    {"meters", "list", "", "the latest values"},
    {"meters[]", "object", "", "one meter", kSometimes},
    {"meters[].name", "text", "", "its name"},
    {"meters[].place", "text", "", "Host, GPU 0, a disk or a card"},
    {"meters[].unit", "text", "", "of the value"},
    {"meters[].value", "number", "", "the value"},
    {"dropped", "object", "", "records that were lost"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "what is not seen, and why"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::span<const JsonField> top_fields() {
  return kTopFields;
}

}  // namespace tactus
