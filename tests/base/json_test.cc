#include "base/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace tactus {
namespace {

TEST(Json, a_document_reads_back_as_it_was_written) {
  const std::string text =
      R"({"b":[1,-2,1.5,1.0,1e+20,null,true],"a":{"x":"\"\n"},"big":18446744073709551615})";
  const Json document = Json::parse(text);
  EXPECT_EQ(document.dump(), text);
  EXPECT_EQ(document["big"].get<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(Json::parse(document.dump()), document);
}

TEST(Json, braces_make_objects_of_pairs_and_lists_of_anything_else) {
  EXPECT_EQ((Json{{"a", 1}, {"b", Json::array()}}).dump(), R"({"a":1,"b":[]})");
  EXPECT_EQ((Json{1, "two", nullptr}).dump(), R"([1,"two",null])");
  Json list;
  list.push_back({"a", "b"});
  EXPECT_EQ(list.dump(), R"([["a","b"]])");
  Json object;
  object["x"]["y"] = 0.5;
  EXPECT_EQ(object.dump(), R"({"x":{"y":0.5}})");
}

TEST(Json, what_is_not_json_is_discarded) {
  for (const char* text : {"", "{", "[1,]", "nul", "{\"a\":1}}", "\"\xff\""}) {
    EXPECT_TRUE(Json::parse(text).is_discarded()) << text;
  }
  EXPECT_TRUE(Json::parse(std::string(100'000, '[')).is_discarded());
  EXPECT_TRUE(Json::parse(std::string(300, '[') + std::string(300, ']')).is_discarded());
}

TEST(Json, text_that_is_not_utf8_and_numbers_that_are_not_finite_can_be_written) {
  EXPECT_EQ(Json("a\xff").dump(), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, of_a_repeated_key_the_last_one_counts) {
  EXPECT_EQ(Json::parse(R"({"a":1,"a":2})").number_at("a"), 2);
}

TEST(Json, another_kind_than_asked_for_is_an_error_or_nothing) {
  const Json document = Json::parse(R"({"a":"text","n":3})");
  EXPECT_THROW(document.at("a").get<double>(), Json::Error);
  EXPECT_THROW(document.at("b"), Json::Error);
  EXPECT_THROW(document.at(std::size_t{0}), Json::Error);
  EXPECT_EQ(document.number_at("a"), std::nullopt);
  EXPECT_EQ(document.text_at("n"), "");
  EXPECT_EQ(document.find("b"), nullptr);
  EXPECT_EQ(Json::parse(R"({"a":[1,"x",2.5]})").numbers_at("a"), (std::vector<double>{1, 2.5}));
  EXPECT_TRUE(document.numbers_at("a").empty());
}

}  // namespace
}  // namespace tactus
