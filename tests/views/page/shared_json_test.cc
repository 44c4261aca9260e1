#include "views/page/shared_json.h"

#include <gtest/gtest.h>

#include "views/page/restored_json.h"

namespace tactus {
namespace {

using testing::restored_json;

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
    EXPECT_EQ(restored_json(shared.pack(document), shared.strings()), document) << text;
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
