// Arguments of one event: nested ones, and very many.
#include "sources/kineto/layout_learner.h"

#include <gtest/gtest.h>

#include "run/args/arg_json.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::import_json;

constexpr int kMany = 200'000;

std::string event_with(const std::string& args) {
  return R"({"traceEvents":[{"ph":"X","name":"n","pid":1,"tid":1,"ts":0,"dur":1,"args":{)" + args +
         "}}]}";
}

/// "key 0": 0, "key 1": 1, ...
std::string members(int count, const std::string& quote) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text +=
        (i == 0 ? "" : ",") + quote + "key " + std::to_string(i) + quote + ":" + std::to_string(i);
  }
  return text;
}

/// The arguments of the first slice, in order: "a=1 b=2".
std::string arguments(const Run& run) {
  const auto shape = static_cast<std::size_t>(run.slices.shape()[0]);
  std::string text;
  for (std::size_t i = 0; i < run.shapes[shape].size(); ++i) {
    const ArgField& field = run.shapes[shape][i];
    text += (i == 0 ? "" : " ") + std::string(run.strings[field.key]) + "=";
    append_json_value(text, run.strings,
                      {field.type, run.slices.args()[shape].columns[i].get()[0]});
  }
  return text;
}

TEST(LayoutLearner, lets_nested_arguments_take_the_place_of_outer_ones) {
  const auto run =
      import_json(event_with(R"("a":1,"b":2,"args":"{\"b\":20,\"c\":30}","c":3,"a":4,"d":5)"));
  EXPECT_EQ(arguments(run), "a=1 b=20 c=30 a=4 d=5");
}

TEST(LayoutLearner, replaces_repeated_keys_one_by_one) {
  const auto run =
      import_json(event_with(R"("a":1,"a":2,"args":"{\"a\":3,\"a\":4,\"a\":5}","a":6)"));
  EXPECT_EQ(arguments(run), "a=3 a=4 a=5");
}

TEST(LayoutLearner, undoes_nested_arguments_that_are_not_whole) {
  const auto run = import_json(
      event_with(R"("a":1,"args":"{\"a\":3,\"b\":4,","b":2,"args":"{\"b\":7}","c":{"x":1})"));
  EXPECT_EQ(arguments(run), R"(a=1 args="{\"a\":3,\"b\":4," b=7 c={"x":1})");
}

TEST(LayoutLearner, keeps_every_digit_of_long_numbers) {
  const std::string numbers =
      "a=999999999999999999 b=1000000000000000000 c=9223372036854775807 d=-9223372036854775808 "
      "e=9223372036854775808 f=-1000000000000000000";
  std::string members = "\"" + numbers;
  for (std::size_t at = 0; (at = members.find('=', at)) != std::string::npos;) {
    members.replace(at, 1, "\":");
  }
  for (std::size_t at = 0; (at = members.find(' ', at)) != std::string::npos;) {
    members.replace(at, 1, ",\"");
  }
  EXPECT_EQ(arguments(import_json(event_with(members))), numbers);
}

TEST(LayoutLearner, keeps_very_many_arguments_of_one_event) {
  const auto run = import_json(event_with(members(kMany, "\"")));
  ASSERT_EQ(run.shapes.size(), 2U);
  ASSERT_EQ(run.shapes[1].size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(run.arg(run.slices, 0, "key 199999")->raw, 199'999);
}

TEST(LayoutLearner, keeps_very_many_nested_arguments) {
  const auto run = import_json(
      event_with(members(kMany, "\"") + R"(,"args":"{)" + members(kMany, "\\\"") + R"(}")"));
  EXPECT_EQ(run.shapes[1].size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(run.arg(run.slices, 0, "key 199999")->raw, 199'999);
}

TEST(LayoutLearner, keeps_very_many_values_of_one_counter_event) {
  const auto run = import_json(R"({"traceEvents":[{"ph":"C","name":"c","pid":1,"ts":0,"args":{)" +
                               members(kMany, "\"") + "}}]}");
  EXPECT_EQ(run.series.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(run.counters.rows, static_cast<std::size_t>(kMany));
}

TEST(LayoutLearner, reads_an_event_that_is_larger_than_many_windows) {
  std::string objects = R"({"x":1})";
  for (int i = 1; i < 50'000; ++i) objects += R"(,{"x":1})";
  const auto run =
      import_json(event_with(R"("list":[)" + objects + R"(],"after":7)"), {.window_bytes = 1000});
  EXPECT_EQ(run.slices.size(), 1U);
  EXPECT_EQ(run.arg(run.slices, 0, "after")->raw, 7);
  EXPECT_TRUE(run.dropped.empty());
}

}  // namespace
}  // namespace tactus
