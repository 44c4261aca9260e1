#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kGroupsFields[] = {
    {"members", "list", "", "the words that the gate never holds"},
    {"members[]", "object", "", "one of them", kSometimes},
    {"members[].word", "text", "",
     "the name of the function, or the class inside a wrapper such as device_kernel"},
    {"members[].following", "integer", "", "launches that follow the head of their group"},
    {"members[].launches", "integer", "", "all launches by that word whose call is known"},
    {"members[].kernels", "list", "", "the kernels that follow a head, by their whole names"},
    {"members[].kernels[]", "text", "", "one of them", kSometimes},
    {"left_out", "list", "", "words that follow a head, but would let too much pass"},
    {"left_out[]", "object", "", "one of them", kSometimes},
    {"left_out[].word", "text", "", "as above"},
    {"left_out[].following", "integer", "", "as above"},
    {"left_out[].launches", "integer", "", "as above"},
    {"left_out[].kernels", "list", "", "as above"},
    {"left_out[].kernels[]", "text", "", "one of them", kSometimes},
    {"left_out[].why", "text", "", "the reason"},
    {"file", "text?", "", "what -o wrote; null: nothing"},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::span<const JsonField> gate_groups_fields() {
  return kGroupsFields;
}

}  // namespace tactus
