#include "views/common/json.h"
#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kSchemaFields[] = {
    {"documents", "list", "", "what commands print with --json"},
    {"documents[]", "object", "", "one of them"},
    {"documents[].command", "text", "", "the command that prints it"},
    {"documents[].what", "text", "", "what it holds"},
    {"documents[].fields", "list", "", "its fields"},
    {"documents[].fields[]", "object", "", "one of them"},
    {"documents[].fields[].path", "text", "",
     "its place; [] stands for each item of a list, * for any key of an object"},
    {"documents[].fields[].type", "text", "",
     "text, bool, integer, number, list, object or json (anything)"},
    {"documents[].fields[].may_be_null", "bool", "", "null: the value is not known"},
    {"documents[].fields[].is_always_there", "bool", "", "if the object around it is there"},
    {"documents[].fields[].unit", "text?", "", "of its values"},
    {"documents[].fields[].meaning", "text", "", "what it means"},
    {"dropped", "object", "", "always empty"},
    {"warnings", "list", "", "always empty"},
};

Json field_json(const JsonField& field) {
  const bool may_be_null = field.type.ends_with('?');
  return {{"path", field.path},
          {"type", field.type.substr(0, field.type.size() - (may_be_null ? 1 : 0))},
          {"may_be_null", may_be_null},
          {"is_always_there", field.presence == JsonPresence::kAlways},
          {"unit", text_or_null(field.unit)},
          {"meaning", field.meaning}};
}

}  // namespace

std::span<const JsonField> schema_fields() {
  return kSchemaFields;
}

std::string json_schema() {
  Json documents = Json::array();
  for (const JsonDocument& document : json_documents()) {
    Json fields = Json::array();
    for (const JsonField& field : document.fields) fields.push_back(field_json(field));
    documents.push_back(
        {{"command", document.command}, {"what", document.what}, {"fields", std::move(fields)}});
  }
  return to_text({{"documents", std::move(documents)},
                  {"dropped", Json::object()},
                  {"warnings", Json::array()}});
}

}  // namespace tactus
