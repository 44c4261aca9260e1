#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kBenchFields[] = {
    {"format", "text", "", "\"tactus bench 1\""},
    {"hardware", "object", "", "the machine"},
    {"hardware.name", "text", "", "its name"},
    {"hardware.profile", "text", "", "the profile whose limits count"},
    {"hardware.driver", "text", "", "its driver"},
    {"hardware.date", "text", "", "when it was measured"},
    {"hardware.memory_bandwidth", "number", "bytes/s", "of its memory"},
    {"results", "list", "", "one per shape"},
    {"results[]", "object", "", "one of them"},
    {"results[].operator", "text", "", "the operator"},
    {"results[].shape", "text", "", "id of the shape"},
    {"results[].candidate", "text", "", "the kernel that was measured"},
    {"results[].status", "text", "", "right, wrong, skipped, ..."},
    {"results[].reason", "text?", "", "why it is not right or was skipped"},
    {"results[].note", "text?", "", "a remark"},
    {"results[].max_rel_err", "number?", "", "largest relative error"},
    {"results[].checked", "integer", "", "outputs that were checked"},
    {"results[].mismatch", "integer", "", "of these, wrong"},
    {"results[].t_ns", "number?", "ns", "median time"},
    {"results[].t_low_ns", "number?", "ns", "lower end of its interval"},
    {"results[].t_high_ns", "number?", "ns", "upper end of its interval"},
    {"results[].confidence", "number?", "0..1", "of the interval"},
    {"results[].samples", "list", "", "all times"},
    {"results[].samples[]", "number", "ns", "one of them"},
    {"results[].rounds", "list", "", "where each round of samples begins"},
    {"results[].rounds[]", "integer", "", "one of them"},
    {"results[].t_sol_ns", "number?", "ns", "the bound"},
    {"results[].s", "number?", "", "t_sol_ns over t_ns"},
    {"results[].launch_floor_ns", "number?", "ns", "time of an empty kernel"},
    {"results[].s_with_launch", "number?", "", "s with the launch floor in the bound"},
    {"results[].clock_noise_ns", "number?", "ns", "noise of the clock"},
    {"results[].touch_floor_ns", "number?", "ns", "time to touch the data once"},
    {"results[].copy_ns", "number?", "ns", "time to copy as many bytes"},
    {"results[].sm_clock_mhz", "number?", "MHz", "clock of the device"},
    {"results[].throttled", "integer", "", "samples left out because the device was throttled"},
    {"results[].rival", "object?", "", "the fastest rival"},
    {"results[].rival.name", "text", "", "its name"},
    {"results[].rival.t_ns", "number", "ns", "its time"},
    {"results[].rivals", "list", "", "all rivals", kSometimes},
    {"results[].rivals[]", "object", "", "one of them", kSometimes},
    {"results[].rivals[].name", "text", "", "its name", kSometimes},
    {"results[].rivals[].t_ns", "number?", "ns", "its time", kSometimes},
    {"results[].rivals[].t_low_ns", "number?", "ns", "lower end of its interval", kSometimes},
    {"results[].rivals[].t_high_ns", "number?", "ns", "upper end of its interval", kSometimes},
    {"results[].rivals[].how", "text?", "", "how it was called", kSometimes},
    {"results[].rivals[].note", "text?", "", "a remark", kSometimes},
    {"results[].rivals[].differs", "number?", "", "how much its result differs", kSometimes},
    {"results[].rivals[].skipped", "text?", "", "why it was skipped", kSometimes},
    {"score", "object?", "", "all results together"},
    {"score.weighted_s", "number?", "", "mean of s, weighted by importance"},
    {"score.weighted_s_with_launch", "number?", "", "the same with the launch floor"},
    {"score.covered_importance", "number", "", "importance of the operators with a time"},
    {"warnings", "list", "", "sentences about the results"},
    {"warnings[]", "text", "", "one of them"},
    {"dropped", "object", "", "always empty"},
};

}  // namespace

std::span<const JsonField> bench_fields() {
  return kBenchFields;
}

}  // namespace tactus
