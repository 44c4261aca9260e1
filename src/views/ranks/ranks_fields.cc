#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kRanksFields[] = {
    {"ranks", "list", "", "the average whole step of each rank"},
    {"ranks[]", "object", "", "one of them"},
    {"ranks[].rank", "integer?", "", "its number"},
    {"ranks[].label", "text", "", "rank 1, or its pid where ranks are not known"},
    {"ranks[].host", "text?", "", "its host, where the recording names it"},
    {"ranks[].device", "text?", "", "its device"},
    {"ranks[].steps", "integer", "", "whole steps"},
    {"ranks[].step_ns", "integer", "ns", "mean of a step; busy_ns and idle_ns add up to it"},
    {"ranks[].busy_ns", "integer?", "ns", "per step, something runs"},
    {"ranks[].idle_ns", "integer?", "ns", "per step, nothing runs"},
    {"ranks[].comm_ns", "integer?", "ns", "per step, inside collectives"},
    {"ranks[].exposed_comm_ns", "integer?", "ns", "of that, while no kernel computes"},
    {"ranks[].copy_ns", "integer?", "ns", "per step, copies to and from the device"},
    {"ranks[].wait_ns", "integer", "ns", "per step, inside collectives before the last rank came"},
    {"ranks[].late_ns", "integer", "ns",
     "per step, later than the rank before it when it was last"},
    {"ranks[].was_last", "integer", "", "collectives for which it came last"},
    {"collectives", "list", "", "by kind and size, longest wait first"},
    {"collectives[]", "object", "", "one of them"},
    {"collectives[].name", "text", "", "what it does"},
    {"collectives[].bytes", "integer?", "bytes", "of the whole message"},
    {"collectives[].group_size", "integer", "", "ranks that take part"},
    {"collectives[].on_device", "bool", "", "kernels do it, not the host"},
    {"collectives[].count", "integer", "", "found in all their ranks"},
    {"collectives[].wait_ns", "integer", "ns",
     "from the first arrival to the last, of all together"},
    {"collectives[].rank_wait_ns", "integer", "ns", "what all ranks together waited"},
    {"collectives[].time_ns", "integer", "ns", "after the last has come, of all together"},
    {"collectives[].first_rank", "integer?", "", "came first most often"},
    {"collectives[].first_times", "integer", "", "how often"},
    {"collectives[].last_rank", "integer?", "", "came last most often"},
    {"collectives[].last_times", "integer", "", "how often"},
    {"collectives[].bus_bytes_per_s", "number?", "bytes/s", "what each link carries in time_ns"},
    {"collectives[].link_bytes_per_s", "number?", "bytes/s", "what the device can send"},
    {"stragglers", "list", "", "ranks that come later than the others do, by more than chance"},
    {"stragglers[]", "object", "", "one of them", kSometimes},
    {"stragglers[].rank", "integer?", "", "its number", kSometimes},
    {"stragglers[].text", "text", "", "what it costs and why, in sentences", kSometimes},
    {"stragglers[].cost_ns", "integer", "ns", "per step", kSometimes},
    {"stragglers[].low_ns", "integer", "ns", "95% interval of it, from", kSometimes},
    {"stragglers[].high_ns", "integer", "ns", "to", kSometimes},
    {"stragglers[].was_last", "integer", "", "collectives for which it came last", kSometimes},
    {"stragglers[].of", "integer", "", "of so many", kSometimes},
    {"stragglers[].longer_part", "text?", "", "the part in which it exceeds the others most",
     kSometimes},
    {"stragglers[].longer_ns", "integer", "ns", "by this much per step", kSometimes},
    {"imbalance", "list", "", "operators that take longer on one rank, largest first"},
    {"imbalance[]", "object", "", "one of them", kSometimes},
    {"imbalance[].operator", "text", "", "the op that launches, or what the kernel computes",
     kSometimes},
    {"imbalance[].ns", "list", "", "per step, in the order of ranks", kSometimes},
    {"imbalance[].ns[]", "integer", "ns", "of one rank", kSometimes},
    {"imbalance[].median_ns", "integer", "ns", "of the other ranks", kSometimes},
    {"imbalance[].longest_rank", "integer?", "", "the rank that takes longest", kSometimes},
    {"imbalance[].extra_ns", "integer", "ns", "it takes longer than the median", kSometimes},
    {"matched", "integer", "", "collectives that were found in all their ranks"},
    {"unmatched", "integer", "", "calls of collectives that were not"},
    {"arrival_by", "text", "", "time, or duration where the clocks of the ranks differ"},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::span<const JsonField> ranks_fields() {
  return kRanksFields;
}

}  // namespace tactus
