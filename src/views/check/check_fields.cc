#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kCheckFields[] = {
    {"[]", "object", "", "one of them"},
    {"[].item", "text", "", "what was checked"},
    {"[].state", "text", "", "ok, missing, ..."},
    {"[].fix", "text?", "", "what to do about it"},
    {"[].found", "text?", "", "what was found", kSometimes},
    {"[].for", "text?", "", "what it is needed for", kSometimes},
};

}  // namespace

std::span<const JsonField> check_fields() {
  return kCheckFields;
}

}  // namespace tactus
