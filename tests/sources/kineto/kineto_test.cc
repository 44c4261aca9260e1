#include "sources/kineto/kineto.h"

#include <gtest/gtest.h>

#include "run/args/arg_json.h"
#include "support/files.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::import_error;
using testing::import_json;
using testing::slice_names;
using Names = std::vector<std::string>;

constexpr const char* kKernel =
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10.5,"dur":2,)"
    R"("args":{"device":0,"stream":7,"correlation":3}})";

std::string events(const std::string& list) {
  return R"({"traceEvents":[)" + list + "]}";
}

std::string arg_text(const Run& run, std::size_t row, std::string_view key) {
  const std::optional<Value> value = run.arg(run.slices, row, key);
  std::string text;
  if (value) append_json_value(text, run.strings, *value);
  return text;
}

TEST(Kineto, reads_a_kernel_with_its_arguments) {
  const auto run = import_json(events(kKernel));
  ASSERT_EQ(slice_names(run), Names({"k 2000"}));
  EXPECT_EQ(run.kind_of(run.slices.category()[0]), SliceKind::kKernel);
  EXPECT_EQ(arg_text(run, 0, "correlation"), "3");
  const Track& track = run.tracks[static_cast<std::size_t>(run.slices.track()[0])];
  EXPECT_TRUE(track.on_device);
  EXPECT_EQ(track.device_index, 0);
  EXPECT_EQ(track.stream, 7);
  EXPECT_EQ(run.origin_ns, 10'500);
  EXPECT_EQ(run.slices.start()[0], 0);
}

TEST(Kineto, takes_a_bare_array_too_and_needs_no_closing_bracket_there) {
  EXPECT_EQ(slice_names(import_json(std::string("[") + kKernel + "]")), Names({"k 2000"}));
  const auto open = import_json(std::string("[") + kKernel + ",\n");
  EXPECT_EQ(slice_names(open), Names({"k 2000"}));
  EXPECT_TRUE(open.dropped.empty());
}

TEST(Kineto, finds_the_base_time_before_or_after_the_events) {
  const std::string base = R"("baseTimeNanoseconds":1790857026000000000)";
  const std::string list = std::string(R"("traceEvents":[)") + kKernel + "]";
  for (const std::string& text : {"{" + base + "," + list + "}", "{" + list + "," + base + "}"}) {
    EXPECT_EQ(import_json(text).origin_ns, 1790857026000010500) << text;
  }
}

TEST(Kineto, keeps_times_to_the_nanosecond) {
  const auto run = import_json(
      events(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":3850038568841.045,"dur":0.001},)"
             R"({"ph":"X","name":"b","pid":1,"tid":1,"ts":1762935255687156.25,"dur":1.5e3},)"
             R"({"ph":"X","name":"c","pid":1,"tid":1,"ts":"3850038568841.046","dur":"7"})"));
  EXPECT_EQ(slice_names(run), Names({"a 1", "b 1500000", "c 7000"}));
  EXPECT_EQ(run.slices.start()[2] - run.slices.start()[0], 1);
  EXPECT_EQ(run.slices.start()[1] - run.slices.start()[0], 1762935255687156250 - 3850038568841045);
}

TEST(Kineto, keeps_every_argument_as_it_was_written) {
  const auto run = import_json(
      events(R"({"ph":"X","name":"op","pid":1,"tid":1,"ts":0,"dur":1,"args":{"a":1.50,"b":-0.0,)"
             R"("c":[[32, 512], [ ], "x y"],"d":{"k": null},"e":"q\"\u00e9\n","f":true,"g":null,)"
             R"("h":18446744073709551615,"i":1e-7,"@at":1}})"));
  EXPECT_EQ(arg_text(run, 0, "a"), "1.50");
  EXPECT_EQ(arg_text(run, 0, "b"), "-0.0");
  EXPECT_EQ(arg_text(run, 0, "c"), R"([[32,512],[],"x y"])");
  EXPECT_EQ(arg_text(run, 0, "d"), R"({"k":null})");
  EXPECT_EQ(arg_text(run, 0, "e"), "\"q\\\"\u00e9\\n\"");
  EXPECT_EQ(arg_text(run, 0, "f"), "true");
  EXPECT_EQ(arg_text(run, 0, "g"), "null");
  EXPECT_EQ(arg_text(run, 0, "h"), "18446744073709551615");
  EXPECT_EQ(arg_text(run, 0, "i"), "1e-7");
  EXPECT_EQ(arg_text(run, 0, "@@at"), "1");
}

TEST(Kineto, tells_a_device_from_a_process_with_the_same_number) {
  const auto run = import_json(
      events(std::string(kKernel) +
             R"(,{"ph":"X","cat":"python_function","name":"f","pid":0,"tid":7,"ts":1,"dur":9})"));
  EXPECT_NE(run.slices.track()[0], run.slices.track()[1]);
  EXPECT_FALSE(run.tracks[static_cast<std::size_t>(run.slices.track()[1])].on_device);
}

TEST(Kineto, reads_host_and_pid_out_of_text) {
  const auto run = import_json(
      events(R"-({"ph":"X","name":"a","pid":"rank 0 node-3.lan(4711)","tid":"t","ts":0,"dur":1},)-"
             R"({"ph":"X","name":"b","pid":"Spans","tid":"t","ts":0,"dur":1})"));
  EXPECT_EQ(run.processes[0].os_pid, 4711);
  EXPECT_EQ(run.strings[run.processes[0].host_name], "node-3.lan");
  EXPECT_FALSE(run.processes[1].os_pid);
}

TEST(Kineto, merges_arguments_that_are_nested_as_text) {
  const auto run =
      import_json(events(R"({"ph":"X","cat":"Kernel","name":"k","pid":9,"tid":"s","ts":0,"dur":1,)"
                         R"("args":{"device":1,"args":"{\"correlation\": 12, \"device\": 3}"}})"));
  EXPECT_EQ(arg_text(run, 0, "correlation"), "12");
  EXPECT_EQ(arg_text(run, 0, "device"), "3");
  EXPECT_EQ(arg_text(run, 0, "args"), "");
}

TEST(Kineto, links_a_kernel_to_its_launch_wherever_they_stand) {
  const auto run = import_json(events(
      std::string(kKernel) +
      R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":1,"dur":1,)"
      R"("args":{"correlation":3}})"));
  ASSERT_EQ(run.links.rows, 1U);
  EXPECT_EQ(run.links.from()[0], 1);
  EXPECT_EQ(run.links.to()[0], 0);
}

TEST(Kineto, counts_a_correlation_that_two_calls_share_and_takes_the_later_call) {
  const auto call = [](int ts) {
    return R"({"ph":"X","cat":"cuda_runtime","name":"l","pid":5,"tid":5,"ts":)" +
           std::to_string(ts) + R"(,"dur":1,"args":{"correlation":3}})";
  };
  const auto run = import_json(events(call(1) + "," + call(5) + "," + call(50) + "," + kKernel));
  EXPECT_EQ(run.repaired.at("duplicate_correlation"), 2U);
  ASSERT_EQ(run.links.rows, 1U);
  EXPECT_EQ(run.links.from()[0], 1);
}

TEST(Kineto, follows_python_parents) {
  const auto run = import_json(
      events(R"({"ph":"X","cat":"python_function","name":"outer","pid":5,"tid":5,"ts":1,"dur":9,)"
             R"("args":{"Python parent id":null,"Python id":1}},)"
             R"({"ph":"X","cat":"python_function","name":"inner","pid":5,"tid":5,"ts":2,"dur":1,)"
             R"("args":{"Python parent id":1,"Python id":2}})"));
  ASSERT_EQ(run.links.rows, 1U);
  EXPECT_EQ(run.links.kind()[0], static_cast<std::int64_t>(LinkKind::kPythonParent));
  EXPECT_EQ(run.links.from()[0], 0);
}

TEST(Kineto, remembers_launch_arrows_as_flags_and_other_arrows_as_links) {
  const auto run = import_json(events(
      std::string(kKernel) +
      R"(,{"ph":"f","id":3,"pid":0,"tid":7,"ts":10.5,"cat":"ac2g","name":"ac2g","bp":"e"})"
      R"(,{"ph":"X","cat":"cpu_op","name":"fwd","pid":5,"tid":5,"ts":1,"dur":3})"
      R"(,{"ph":"s","id":1,"pid":5,"tid":5,"ts":2,"cat":"fwdbwd","name":"fwdbwd"})"
      R"(,{"ph":"X","cat":"cpu_op","name":"bwd","pid":5,"tid":6,"ts":8,"dur":3})"
      R"(,{"ph":"f","id":1,"pid":5,"tid":6,"ts":8,"cat":"fwdbwd","name":"fwdbwd","bp":"e"})"));
  EXPECT_EQ(run.slices.flags()[0], kFlowIn);
  EXPECT_EQ(run.flows.size(), 2U);
  ASSERT_EQ(run.links.rows, 1U);
  EXPECT_EQ(run.links.kind()[0], static_cast<std::int64_t>(LinkKind::kFlow));
  EXPECT_EQ(run.links.from()[0], 1);
  EXPECT_EQ(run.links.to()[0], 2);
}

TEST(Kineto, pairs_begin_and_end_events) {
  const auto event = [](const std::string& ph, const std::string& name, int ts) {
    return R"({"ph":")" + ph + R"(","name":")" + name + R"(","pid":1,"tid":1,"ts":)" +
           std::to_string(ts) + "}";
  };
  const auto run = import_json(events(event("E", "before", 1) + "," + event("B", "outer", 2) + "," +
                                      event("B", "inner", 3) + "," + event("E", "inner", 5) + "," +
                                      event("B", "lost", 6) + "," + event("E", "outer", 9) + "," +
                                      event("B", "open", 10)));
  EXPECT_EQ(slice_names(run),
            Names({"before 0", "inner 2000", "lost 3000", "outer 7000", "open 0"}));
  EXPECT_EQ(run.slices.flags()[0], kOpenBegin);
  EXPECT_EQ(run.slices.flags()[4], kOpenEnd);
  EXPECT_EQ(run.repaired, (Tally{{"begin_missing", 1}, {"end_missing", 1}, {"re_nested", 1}}));
}

TEST(Kineto, skips_white_space_of_any_length) {
  for (const std::size_t length : {0, 1, 15, 16, 31, 32, 33, 47, 48, 49, 1000, 300000}) {
    for (const char* piece : {" ", "\n", "\r\n", "\t \n"}) {
      std::string blank;
      while (blank.size() < length) blank += piece;
      const auto run = import_json(blank + R"({"traceEvents":)" + blank + "[" + blank +
                                   R"({"ph":"X","name":"a","ts":1,"dur":2)" + blank + "}" + blank +
                                   "," + blank + R"({"ph":"X","name":"b","ts":4,"dur":3})" + blank +
                                   "]" + blank + "}" + blank);
      EXPECT_EQ(slice_names(run), Names({"a 2000", "b 3000"})) << length;
      EXPECT_TRUE(run.dropped.empty()) << length;
    }
  }
}

TEST(Kineto, reads_counters_with_several_values) {
  const auto run =
      import_json(events(R"({"ph":"C","name":"mem","pid":1,"ts":1,"args":{"used":5,"free":2.25}},)"
                         R"({"ph":"C","name":"mem","pid":1,"ts":2,"args":{"used":"6"}},)"
                         R"({"ph":"C","name":"mem","pid":1,"ts":3,"args":{"used":"many"}},)"
                         R"({"ph":"C","name":"mem","pid":1,"ts":4,"args":{"used":1e999}})"));
  ASSERT_EQ(run.counters.rows, 3U);
  ASSERT_EQ(run.series.size(), 2U);
  EXPECT_EQ(run.strings[run.series[1].field], "free");
  EXPECT_EQ(Decimal::to_double(run.counters.value()[1], run.strings), 2.25);
  EXPECT_EQ(run.dropped, (Tally{{"counter_without_number", 2}}));
}

TEST(Kineto, resolves_stack_frames_that_come_after_the_events) {
  const auto run =
      import_json(R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1,"sf":7}],)"
                  R"("stackFrames":{"5":{"name":"main"},"7":{"name":"work","parent":5}}})");
  const std::optional<Value> stack = run.arg(run.slices, 0, "@sf");
  ASSERT_TRUE(stack && stack->type == ValueType::kStack);
  const auto row = static_cast<std::size_t>(stack->raw);
  EXPECT_EQ(run.strings[StringId(static_cast<std::uint64_t>(run.stacks.frame()[row]))], "work");
  const auto parent = static_cast<std::size_t>(run.stacks.parent()[row]);
  EXPECT_EQ(run.strings[StringId(static_cast<std::uint64_t>(run.stacks.frame()[parent]))], "main");
}

TEST(Kineto, reads_documents_one_after_the_other_as_parts_of_one_run) {
  const auto document = [](const char* base) {
    return R"({"baseTimeNanoseconds":)" + std::string(base) + R"(,"traceEvents":[)" + kKernel +
           "]}";
  };
  const auto run = import_json(document("1000000") + "\n" + document("5000000"));
  EXPECT_EQ(run.sources.size(), 2U);
  ASSERT_EQ(run.slices.size(), 2U);
  EXPECT_EQ(run.slices.start()[1] - run.slices.start()[0], 4'000'000);
  EXPECT_EQ(run.warnings.size(), 1U);
}

// Bad input

TEST(Kineto, keeps_what_was_whole_of_a_text_that_breaks_off) {
  const std::string text = events(std::string(kKernel) + ",\n" + kKernel);
  for (std::size_t size = 20; size < text.size(); ++size) {
    const auto run = import_json(text.substr(0, size));
    EXPECT_EQ(run.dropped.at("truncated_input"), 1U) << size;
    ASSERT_EQ(run.warnings.size(), 1U);
    EXPECT_NE(run.warnings[0].find("byte"), std::string::npos) << run.warnings[0];
  }
  EXPECT_EQ(import_json(text.substr(0, text.size() - 3)).slices.size(), 1U);
}

TEST(Kineto, names_what_it_cannot_read_and_where) {
  EXPECT_NE(import_error("3").find("byte 0"), std::string::npos);
  EXPECT_NE(import_error("").find("no JSON document"), std::string::npos);
  EXPECT_NE(import_error("  \n\xFF\xFE").find("byte 3"), std::string::npos);
  EXPECT_NE(import_error(R"({"a": 1, "b": [2]})").find("no events"), std::string::npos);
}

TEST(Kineto, drops_what_is_no_event_and_counts_it) {
  const auto run = import_json(events(
      R"(null,1,"x",[1,[2]],{"ph":"X","name":null,"ts":null,"dur":null,"pid":null,"tid":null},)"
      R"({"ph":"X","name":"late","ts":1e308,"dur":1,"pid":0,"tid":0},)"
      R"({"ph":"X","name":"long","ts":1,"dur":1e308,"pid":0,"tid":0},)"
      R"({"ph":"X","name":"nan","ts":NaN,"dur":1,"pid":0,"tid":0},)"
      R"({"ph":"q","ts":1},{"ts":1},{"ph";"X"},)" +
      std::string(kKernel)));
  EXPECT_EQ(slice_names(run), Names({"k 2000"}));
  EXPECT_EQ(run.dropped, (Tally{{"bad_timestamp", 3},
                                {"malformed_event", 1},
                                {"no_phase", 1},
                                {"no_timestamp", 1},
                                {"not_an_event", 4},
                                {"unsupported_phase_q", 1}}));
}

TEST(Kineto, repairs_what_can_be_repaired_and_counts_it) {
  const auto run = import_json(
      events(R"({"ph":"X","cat":"kernel","name":"neg","ts":1,"dur":-5,"pid":0,"tid":7},)"
             R"({"ph":"X","cat":"kernel","name":"nodur","ts":2,"pid":0,"tid":7},)"
             R"({"ph":"X","cat":"kernel","name":null,"ts":3,"dur":1,"pid":0,"tid":7},)"
             "{\"ph\":\"X\",\"name\":\"\xFF\xFE<script>\",\"ts\":4,\"dur\":1,\"pid\":0,\"tid\":7,"
             "\"args\":{\"l\":[1,,2]}}"));
  EXPECT_EQ(slice_names(run), Names({"neg 0", "nodur 0", " 1000", "\uFFFD\uFFFD<script> 1000"}));
  EXPECT_EQ(run.repaired, (Tally{{"invalid_json_value", 1},
                                 {"invalid_text", 1},
                                 {"missing_duration", 1},
                                 {"missing_name", 1},
                                 {"negative_duration", 1}}));
  EXPECT_EQ(arg_text(run, 3, "l"), R"("[1,,2]")");
  EXPECT_TRUE(run.dropped.empty());
}

TEST(Kineto, survives_very_deep_nesting) {
  const auto run = import_json(R"({"traceEvents":[)" + std::string(200'000, '['));
  EXPECT_EQ(run.dropped.at("truncated_input"), 1U);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const auto whole = import_json(
      events(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1,"args":{"x":)" + deep + "}}"));
  EXPECT_EQ(arg_text(whole, 0, "x"), deep);
}

TEST(Kineto, takes_names_of_several_megabytes) {
  const std::string name(5'000'000, 'A');
  const auto run =
      import_json(events(R"({"ph":"X","name":")" + name + R"(","ts":1,"dur":2,"pid":0,"tid":7})"));
  EXPECT_EQ(slice_names(run), Names({name + " 2000"}));
}

TEST(Kineto, leaves_out_what_follows_the_document) {
  const auto run = import_json(events(kKernel) + "garbage");
  EXPECT_EQ(slice_names(run), Names({"k 2000"}));
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_TRUE(run.dropped.empty());
}

TEST(Kineto, a_trace_whose_events_all_have_other_keys_stays_readable) {
  std::string list;
  for (int i = 0; i < 30'000; ++i) {
    list +=
        (i == 0 ? "" : ",") + (R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"k)" +
                               std::to_string(i) + R"(":)" + std::to_string(i) + "}}");
  }
  const auto run = import_json(events(list));
  EXPECT_EQ(run.slices.size(), 30'000U);
  EXPECT_LT(run.shapes.size(), 25'000U);
  EXPECT_EQ(arg_text(run, 7, "k7"), "7");
  EXPECT_EQ(arg_text(run, 29'999, "@json"), R"({"k29999":29999})");
}

}  // namespace
}  // namespace tactus
