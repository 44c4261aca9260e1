#include "sources/kineto/dialects/xla.h"

#include <gtest/gtest.h>

#include "run/event_view.h"
#include "support/run_text.h"

namespace tactus::kineto {
namespace {

constexpr std::string_view kHead =
    R"x({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)x"
    R"x({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:2"}},)x"
    R"x({"ph":"M","pid":1,"tid":14,"name":"thread_name","args":{"name":"Stream #14(Compute)"}},)x"
    R"x({"ph":"M","pid":1,"tid":99,"name":"thread_name","args":{"name":"XLA Modules"}},)x"
    R"x({"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},)x";

std::string slices_of(std::string_view events) {
  const auto run = testing::import_json(std::string(kHead) + std::string(events) + ",{}]}");
  EXPECT_TRUE(run.dropped.empty());
  std::string text;
  for (const std::string& line : testing::run_lines(run)) {
    if (line.starts_with("slice") || line.starts_with("link")) text += line + "\n";
  }
  return text;
}

TEST(Xla, kernels_have_their_launch_grid_and_hlo_op) {
  EXPECT_EQ(
      slices_of(
          R"x({"ph":"X","pid":701,"tid":5,"ts":10.5,"dur":2,"name":"loop_fusion",)x"
          R"x("args":{"context_id":"$$1","correlation_id":"50","device_id":"0"}},)x"
          R"x({"ph":"X","pid":1,"tid":14,"ts":14.25,"dur":25.504,"name":"loop_fusion","args":{)x"
          R"x("correlation_id":"50","cuda_graph_id":"580","hlo_module":"jit_f","hlo_op":"fusion.1",)x"
          R"x("kernel_details":"regs:16 static_shared:8 dynamic_shared:4 grid:32,2,1 block:128,1,1 )x"
          R"x(occ_pct:75"}})x"),
      "slice 0 +2000 [cuda_runtime] loop_fusion on 701/5 device - stream - flags 0 "
      "context_id:2=\"$$1\" correlation:0=50 device_id:2=\"0\"\n"
      "slice 3750 +25504 [kernel] loop_fusion on 1/14 on device device 2 stream 14 flags 0 "
      "device:0=2 stream:0=14 correlation:0=50 graph id:0=580 hlo_module:2=\"jit_f\" "
      "hlo_op:2=\"fusion.1\" registers per thread:0=16 shared memory:0=12 grid:3=[32,2,1] "
      "block:3=[128,1,1] est. achieved occupancy %:0=75\n"
      "link 0 0 -> 1\n");
}

TEST(Xla, copies_and_sets_have_kinetos_names) {
  const std::string text = slices_of(
      R"x({"ph":"X","pid":1,"tid":14,"ts":1,"dur":1,"name":"MemcpyH2D","args":{"correlation_id":"1",)x"
      R"x("memcpy_details":"kind_src:pinned kind_dst:device size:64 dest:0 async:1"}},)x"
      R"x({"ph":"X","pid":1,"tid":14,"ts":3,"dur":1,"name":"Memset 0","args":{)x"
      R"x("Memset_details":"kind:unknown num_bytes:4 async:1"}},)x"
      R"x({"ph":"X","pid":1,"tid":99,"ts":0,"dur":9,"name":"jit_f(1)"})x");
  EXPECT_NE(text.find("[gpu_memcpy] Memcpy HtoD (Pinned -> Device) on"), std::string::npos) << text;
  EXPECT_NE(text.find("bytes:0=64"), std::string::npos) << text;
  EXPECT_NE(text.find("[gpu_memset] Memset (Device) on"), std::string::npos) << text;
  EXPECT_NE(text.find("bytes:0=4"), std::string::npos) << text;
  EXPECT_NE(text.find("[gpu_user_annotation] jit_f(1) on"), std::string::npos) << text;
}

TEST(Xla, host_events_are_python_frames_calls_ops_and_annotations) {
  const std::string text = slices_of(
      R"x({"ph":"X","pid":701,"tid":5,"ts":1,"dur":50,"name":"$core.py:686 bind"},)x"
      R"x({"ph":"X","pid":701,"tid":5,"ts":2,"dur":1,"name":"$builtins len"},)x"
      R"x({"ph":"X","pid":701,"tid":5,"ts":3,"dur":1,"name":"$numpy asarray"},)x"
      R"x({"ph":"X","pid":701,"tid":5,"ts":4,"dur":9,"name":"PjitFunction(forward)"},)x"
      R"x({"ph":"X","pid":701,"tid":5,"ts":5,"dur":5,"name":"GpuExecutable::ExecuteThunks"},)x"
      R"x({"ph":"X","pid":701,"tid":5,"ts":6,"dur":1,"name":"cuLaunchHostFunc"})x");
  for (const char* part :
       {"[python_function] core.py(686): bind on", "[python_function] <built-in function len> on",
        "[python_function] <built-in function numpy.asarray> on",
        "[user_annotation] PjitFunction(forward) on", "[cpu_op] GpuExecutable::ExecuteThunks on",
        "[cuda_driver] cuLaunchHostFunc on"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Xla, damaged_details_are_left_out) {
  const std::string text = slices_of(
      R"x({"ph":"X","pid":1,"tid":14,"ts":1,"dur":1,"name":"k","args":{"correlation_id":"x",)x"
      R"x("kernel_details":"regs: grid:1,,2 block grid"}})x");
  EXPECT_NE(text.find("correlation_id:2=\"x\""), std::string::npos) << text;
  EXPECT_EQ(text.find("registers"), std::string::npos) << text;
  EXPECT_EQ(text.find("grid"), std::string::npos) << text;
}

}  // namespace
}  // namespace tactus::kineto
