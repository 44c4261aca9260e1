#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kRecordFields[] = {
    {"output", "text", "", "the file"},
    {"seconds", "number", "s", "how long it was recorded"},
    {"bytes_out", "integer", "bytes", "size of the file"},
    {"records", "integer", "", "calls and GPU times that were written"},
    {"ended_by", "text", "",
     "ended (the program did), time, max_size, interrupted, trigger, failed (the recording did)"},
    {"exit_code", "integer?", "", "of the program; null if it was not started by this command"},
    {"processes", "list", "", "those that used CUDA"},
    {"processes[]", "object", "", "one of them", kSometimes},
    {"processes[].pid", "integer", "", "its number"},
    {"processes[].command", "text", "", "how it was started"},
    {"processes[].rank", "integer?", "", "RANK of its environment"},
    {"processes[].launches", "integer?", "",
     "of kernels; null if its calls are not seen (--inject)"},
    {"processes[].graph_launches", "integer?", "", "of CUDA graphs; null as above"},
    {"processes[].copies", "integer?", "", "calls that copy; null as above"},
    {"processes[].waits", "integer?", "", "calls that wait for the GPU; null as above"},
    {"processes[].gpu_times", "integer?", "", "of steps and graphs; null as above"},
    {"processes[].kernels", "integer", "", "kernels with times of their own (--mode full)"},
    {"processes[].gpu_times_left_out", "integer", "", "those that were too much for the budget"},
    {"processes[].gpu_clock_residual_ns", "integer?", "ns", "how far GPU times can be off"},
    {"processes[].agent_share", "number?", "0..1",
     "what the agent took of the time of the thread that paid most; null as above"},
    {"host", "object?", "", "what the host tracer saw; null without --host"},
    {"host.threads", "integer", "", "threads that ran", kSometimes},
    {"host.turns", "integer", "", "how often they came to a core", kSometimes},
    {"host.slices", "integer", "", "of time on a core, ready or waiting", kSometimes},
    {"host.launches", "integer", "", "seen from outside, of processes without the agent",
     kSometimes},
    {"meters", "list", "", "how often meters were read, by reader"},
    {"meters[]", "object", "", "one reader", kSometimes},
    {"meters[].name", "text", "", "what it reads"},
    {"meters[].device", "text", "", "Host, GPU 0"},
    {"meters[].readings", "integer", "", "how often it was read"},
    {"meters[].wanted_hz", "number", "1/s", "--meters-hz, or what the source can give"},
    {"meters[].hz", "number?", "1/s", "reached"},
    {"meters[].cost_ns", "integer", "ns", "processor time per reading"},
    {"meters[].limited_by", "text", "",
     "asked, source (nothing new more often), cost (the budget), late (the driver or the machine "
     "was busy)"},
    {"injections", "list", "", "loads of tactus inject that ran meanwhile"},
    {"injections[]", "object", "", "one of them; a slice of category injection", kSometimes},
    {"injections[].scenario", "text", "", "what was injected"},
    {"injections[].intensity", "number", "0..1", "of the most that the scenario does"},
    {"injections[].shape", "text", "", "step, ramp, spike or square"},
    {"injections[].seconds", "number", "s", "how long it lasted, in the recording"},
    {"trigger", "text?", "", "what ended --ring"},
    {"dropped", "object", "", "records that were lost, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them", kSometimes},
    {"remarks", "list", "", "how it was recorded, in sentences"},
    {"remarks[]", "text", "", "one of them", kSometimes},
};

constexpr JsonField kWindowFields[] = {
    {"output", "text", "", "the file of the recording that runs"},
    {"recorder_pid", "integer", "", "who records"},
    {"from_ns", "integer", "ns", "when full mode began, in the recording"},
    {"to_ns", "integer", "ns", "when it ended"},
    {"kernels", "integer", "", "with times of their own, recorded meanwhile"},
    {"dropped", "object", "", "always empty: losses are told by the recorder"},
    {"warnings", "list", "", "what else there is to say"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::span<const JsonField> record_window_fields() {
  return kWindowFields;
}

std::span<const JsonField> record_fields() {
  return kRecordFields;
}

}  // namespace tactus
