#include "views/page/shared_json.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

std::string key_of(const std::string& key) {
  return key.starts_with("~") ? key.substr(1) : key;
}

/// As ui/src/data/shared.ts reads it.
Json restored(const Json& packed, const Json& strings) {
  if (packed.is_string()) {
    const auto text = packed.get<std::string>();
    return text.starts_with("~") ? strings.at(std::stoul(text.substr(1))) : packed;
  }
  if (packed.is_array()) {
    Json list = Json::array();
    for (const Json& item : packed) list.push_back(restored(item, strings));
    return list;
  }
  if (!packed.is_object()) return packed;
  const Json* count = packed.find("~");
  if (count == nullptr) {
    Json object = Json::object();
    for (const auto& [key, value] : packed.items()) object[key_of(key)] = restored(value, strings);
    return object;
  }
  std::vector<Json> rows(count->get<std::size_t>(), Json::object());
  for (const auto& [key, column] : packed.items()) {
    if (key == "~") continue;
    const Json values = column.is_array() ? column : restored(column, strings);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (values.at(i) == Json("~")) continue;
      rows[i][key_of(key)] = column.is_array() ? restored(values.at(i), strings) : values.at(i);
    }
  }
  Json list = Json::array();
  for (Json& row : rows) list.push_back(std::move(row));
  return list;
}

TEST(SharedJson, gives_every_document_back) {
  for (const std::string text :
       {R"({"rows":[{"name":"a long name","n":1},{"name":"a long name","n":2.5}],"x":null})",
        R"([{"a":1,"b":[{"c":"short"},{"c":"longer text"}]},{"a":2,"b":[]}])",
        R"([{"a":{"x":1}},{"a":{"x":2}},{"a":{"x":"~3"}}])",
        R"([{"a":1},{"a":null,"b":"~"},{"b":""}])", R"({"~":1,"~~":"~~~","a":{"~":[true]}})",
        R"([{"~":1},{"~":2}])", R"([{"a":{}},{"b":[]}])", R"([[],[[]],{}])", R"("a text alone")",
        R"([{"a":{"x":1}},{}])"}) {
    SharedJson shared;
    const Json document = Json::parse(text);
    EXPECT_EQ(restored(shared.pack(document), shared.strings()), document) << text;
  }
}

TEST(SharedJson, writes_a_text_of_several_documents_once) {
  SharedJson shared;
  EXPECT_EQ(shared.pack(Json::parse(R"(["a long name","short"])")).dump(), R"(["~0","short"])");
  EXPECT_EQ(shared.pack(Json::parse(R"({"of":"a long name"})")).dump(), R"({"of":"~0"})");
  EXPECT_EQ(shared.strings().dump(), R"(["a long name"])");
  EXPECT_EQ(shared.pack(Json::parse(R"([{"a":1,"b":2},{"a":3}])")).dump(),
            R"({"~":2,"a":[1,3],"b":[2,"~"]})");
}

}  // namespace
}  // namespace tactus
