#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kCyclesFields[] = {
    {"method", "text?", "", "what the cycles were found with"},
    {"anchor", "text?", "", "the annotation, function or op that marks a cycle"},
    {"comparable_key", "text?", "", "runs with the same key have comparable cycles"},
    {"cycles", "list", "", "all cycles, in order"},
    {"cycles[]", "object", "", "one of them"},
    {"cycles[].index", "integer", "", "its number"},
    {"cycles[].phase", "text", "", "prefill, decode, mixed or unknown"},
    {"cycles[].start_ns", "integer", "ns", "from the start of the recording"},
    {"cycles[].dur_ns", "integer", "ns", "how long it took"},
    {"cycles[].pause_ns", "integer", "ns",
     "behind it until the next one begins, where nothing tells what happened"},
    {"cycles[].gpu_busy_ns", "integer?", "ns", "of that, kernels ran"},
    {"cycles[].launches", "integer", "", "kernels"},
    {"cycles[].complete", "bool", "", "false: cut off by the start or end of the recording"},
    {"cycles[].batch", "integer?", "", "requests, as the engine says"},
    {"cycles[].context_tokens", "integer?", "", "tokens of prompts, as the engine says"},
    {"cycles[].generation_tokens", "integer?", "", "generated tokens, as the engine says"},
    {"cycles[].tokens", "number?", "", "tokens computed"},
    {"cycles[].sequences", "number?", "", "sequences that took part"},
    {"cycles[].context", "number?", "", "tokens that they attend to"},
    {"cycles[].evidence", "text?", "", "what shows the work"},
    {"cycles[].pid", "integer?", "", "process"},
    {"cycles[].rank", "integer?", "", "rank"},
    {"phases", "list", "", "sums per phase"},
    {"phases[]", "object", "", "one of them"},
    {"phases[].phase", "text", "", "the phase"},
    {"phases[].cycles", "integer", "", "complete cycles"},
    {"phases[].cut", "integer", "", "cycles that are cut off"},
    {"phases[].med_ns", "integer?", "ns", "median of a cycle"},
    {"phases[].p99_ns", "integer?", "ns",
     "99 of 100 are not longer; below 100 cycles an estimate, see max_ns"},
    {"phases[].max_ns", "integer?", "ns", "the longest cycle"},
    {"phases[].gpu_busy", "number?", "0..1", "share of the time in which kernels ran"},
    {"phases[].launches", "integer?", "", "median of the kernels per cycle"},
    {"phases[].tokens_per_second", "number?", "1/s", "tokens computed per second"},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them"},
};

constexpr JsonField kPatternsFields[] = {
    {"files", "list", "", "the files that were written"},
    {"files[]", "text", "", "one of them"},
    {"rows", "integer", "", "rows of the patterns"},
    {"cycles", "integer", "", "cycles in them"},
    {"cut", "integer", "", "cycles that were cut off and left out"},
    {"averaged_cycles", "integer", "", "cycles that means are made of"},
    {"cycle_ns", "integer", "ns", "mean of a cycle"},
    {"gpu_idle_ns", "integer", "ns", "of that, no kernel ran"},
    {"classes", "list", "", "sums per class of functions"},
    {"classes[]", "object", "", "one of them"},
    {"classes[].class", "text", "", "the class"},
    {"classes[].plain_ns_per_cycle", "integer", "ns", "sum of durations"},
    {"classes[].union_ns_per_cycle", "integer", "ns", "time in which at least one ran"},
    {"counters", "list", "", "the counters"},
    {"counters[]", "object", "", "one of them"},
    {"counters[].counter", "text", "", "its name"},
    {"counters[].device", "text", "", "its device"},
    {"counters[].pid", "integer?", "", "its process"},
    {"counters[].samples", "integer", "", "samples in the cycles"},
    {"counters[].coverage", "number?", "0..1", "share of the time with samples"},
    {"counters[].interpolated", "integer", "", "cycles without a sample of their own"},
    {"counters[].unknown", "integer", "", "cycles without a value"},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them"},
};

}  // namespace

std::span<const JsonField> cycles_fields() {
  return kCyclesFields;
}

std::span<const JsonField> patterns_fields() {
  return kPatternsFields;
}

}  // namespace tactus
