#include "sources/kineto/dialects/rocprof.h"

#include <gtest/gtest.h>

#include "support/run_text.h"

namespace tactus::kineto {
namespace {

constexpr std::string_view kResults = R"x({"traceEvents":[{}
,{"args":{"name":"0 CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":0}
,{"args":{"name":"1 COPY"},"ph":"M","pid":1,"name":"process_name","sort_index":1}
,{"args":{"name":"2 GPU1"},"ph":"M","pid":7,"name":"process_name","sort_index":2}
,{"ph":"X","name":"hipLaunchKernel","pid":2,"tid":2385,"ts":"1201478","dur":"4","args":{
 "BeginNs":"1201478289","EndNs":"1201482300","pid":"2385","tid":"2385",
 "Name":"hipLaunchKernel","args":"( function(0x1))","Data":"","DurationNs":"4011"}}
,{"ph":"X","name":"CopyHostToDevice","pid":1,"tid":0,"ts":"1201490","dur":"1","args":{
 "BeginNs":"1201490001","EndNs":"1201491001","dev-id":"1","queue-id":"0"}}
,{"ph":"X","name":"vecAdd(float*)","pid":7,"tid":3,"ts":"1201500","dur":"9","args":{
 "BeginNs":"1201500007","EndNs":"1201509014","dev-id":"1","queue-id":"3"}}
]})x";

TEST(RocprofResults, have_exact_times_kinds_and_devices) {
  const auto run = testing::import_json(kResults);
  EXPECT_TRUE(run.dropped.empty());
  std::string text;
  for (const std::string& line : testing::run_lines(run)) {
    if (line.starts_with("slice")) text += line + "\n";
  }
  EXPECT_EQ(text,
            "slice 0 +4011 [cuda_runtime] hipLaunchKernel on 2/2385 device - stream - flags 0 "
            "pid:2=\"2385\" tid:2=\"2385\" args:2=\"( function(0x1))\" Data:2=\"\"\n"
            "slice 11712 +1000 [gpu_memcpy] CopyHostToDevice on 1/0 on device device 1 stream 0 "
            "flags 0 device:0=1 stream:0=0\n"
            "slice 21718 +9007 [kernel] vecAdd(float*) on 7/3 on device device 1 stream 3 flags 0 "
            "device:0=1 stream:0=3\n");
}

/// The arrows have a begin and a step, no end.
TEST(RocprofResults, arrows_lead_from_the_call_to_the_kernel) {
  std::string text(kResults);
  text.replace(text.rfind("]}"), 2,
               R"x(,{"ts":1201478,"ph":"s","cat":"DataFlow","id":1,"pid":2,"tid":2385,"name":"dep"}
,{"ts":1201500,"ph":"t","cat":"DataFlow","id":1,"pid":7,"tid":3,"name":"dep"}
],
"otherData": {
    "0": "host"
  }
})x");
  const auto run = testing::import_json(text);
  std::string links;
  for (const std::string& line : testing::run_lines(run)) {
    if (line.starts_with("link")) links += line + "\n";
  }
  EXPECT_EQ(links, "link 2 0 -> 2\n");
  EXPECT_TRUE(run.dropped.empty());
}

TEST(RocprofResults, without_exact_times_keep_the_rounded_ones) {
  const auto run =
      testing::import_json(R"([{"ph":"X","name":"a","pid":2,"tid":1,"ts":"1","dur":"4",)"
                           R"("args":{"BeginNs":"x","EndNs":"2"}},)"
                           R"({"ph":"X","name":"b","pid":2,"tid":1,"ts":"1","dur":"4",)"
                           R"("args":{"BeginNs":"5","EndNs":"2"}}])");
  EXPECT_EQ(run.repaired.at("negative_duration"), 1u);
  EXPECT_EQ(testing::slice_names(run), (std::vector<std::string>{"a 4000", "b 0"}));
}

}  // namespace
}  // namespace tactus::kineto
