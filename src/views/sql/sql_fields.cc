#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kSqlFields[] = {
    {"columns", "list", "", "names of the columns"},
    {"columns[]", "text", "", "one of them"},
    {"rows", "list", "", "the rows of the answer"},
    {"rows[]", "list", "", "the values of a row, in the order of the columns", kSometimes},
    {"rows[][]", "json", "", "text, number or null", kSometimes},
    {"dropped", "object", "", "what was left out of the recording, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason", kSometimes},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::span<const JsonField> sql_fields() {
  return kSqlFields;
}

}  // namespace tactus
