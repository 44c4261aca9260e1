#include "sources/rocprof/rocprof.h"

#include <gtest/gtest.h>

#include "sources/formats.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/run_text.h"

namespace tactus::rocprof {
namespace {

constexpr std::string_view kDocument = R"x({"rocprofiler-sdk-tool": [{
 "metadata": {"pid": 4711, "init_time": 1, "fini_time": 9, "node": {"hostname": "amd-1"}},
 "agents": [
  {"id": {"handle": 10}, "type": 1, "name": "CPU"},
  {"id": {"handle": 20}, "type": 2, "name": "gfx942", "product_name": "MI300X",
   "logical_node_type_id": 0},
  {"id": {"handle": 30}, "type": 2, "name": "gfx942", "product_name": "MI300X",
   "logical_node_type_id": 1}],
 "counters": [],
 "strings": {"buffer_records": [
   {"kind": "NONE", "operations": []},
   {"kind": "HIP_RUNTIME_API", "operations": ["hipGetDevice", "hipLaunchKernel"]},
   {"kind": "MEMORY_COPY", "operations": ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_DEVICE"]},
   {"kind": "MARKER", "operations": ["roctxRangePushA"]}],
  "marker_api": [{"key": 8, "value": "step 1"}]},
 "code_objects": [],
 "kernel_symbols": [{"kernel_id": 3, "kernel_name": "_Z6vecAddPf.kd",
                     "formatted_kernel_name": "vecAdd(float*)"}],
 "callback_records": {"counter_collection": [{"records": []}]},
 "buffer_records": {
  "kernel_dispatch": [{"kind": 9, "operation": 0, "thread_id": 4712,
    "correlation_id": {"internal": 7, "external": 0}, "start_timestamp": 1500,
    "end_timestamp": 1900, "dispatch_info": {"agent_id": {"handle": 30},
    "queue_id": {"handle": 2}, "kernel_id": 3, "dispatch_id": 1, "private_segment_size": 0,
    "group_segment_size": 512, "workgroup_size": {"x": 64, "y": 1, "z": 1},
    "grid_size": {"x": 1000, "y": 2, "z": 1}}}],
  "hip_api": [{"kind": 1, "operation": 1, "correlation_id": {"internal": 7, "external": 0},
    "start_timestamp": 1000, "end_timestamp": 1200, "thread_id": 4712}],
  "marker_api": [{"kind": 3, "operation": 0, "correlation_id": {"internal": 8, "external": 0},
    "start_timestamp": 900, "end_timestamp": 2500, "thread_id": 4712}],
  "memory_copy": [{"kind": 2, "operation": 1, "correlation_id": {"internal": 9, "external": 0},
    "start_timestamp": 2000, "end_timestamp": 2300, "thread_id": 4712,
    "dst_agent_id": {"handle": 20}, "src_agent_id": {"handle": 10}, "bytes": 4096}]}
}]})x";

Result<Imported> import_text(std::string_view text) {
  const testing::TemporaryFolder folder;
  NoProgress progress;
  return import_run({.inputs = {folder.write("a_results.json", text)}}, progress);
}

TEST(Rocprofv3, is_recognised) {
  EXPECT_TRUE(is_rocprof(kDocument));
  EXPECT_FALSE(is_rocprof(R"({"traceEvents":[]})"));
  EXPECT_EQ(format_of(kDocument, "a.json")->what, "JSON of rocprofv3");
}

TEST(Rocprofv3, kernels_copies_calls_and_markers_become_slices) {
  const Result<Imported> imported = import_text(kDocument);
  ASSERT_TRUE(imported) << imported.error().message;
  const auto& run = imported->run;
  std::string text;
  for (const std::string& line : testing::run_lines(run)) {
    if (line.starts_with("slice") || line.starts_with("device") || line.starts_with("link")) {
      text += line + "\n";
    }
  }
  EXPECT_EQ(text,
            "device 1 MI300X\ndevice 0 MI300X\n"
            "slice 600 +400 [kernel] vecAdd(float*) on 1/2 on device device 1 stream 2 flags 0 "
            "device:0=1 stream:0=2 correlation:0=7 grid:3=[16,2,1] block:3=[64,1,1] "
            "shared memory:0=512 private_segment_size:0=0 queue:0=2 dispatch_id:0=1\n"
            "slice 100 +200 [cuda_runtime] hipLaunchKernel on 4711/4712 device - stream - flags 0 "
            "correlation:0=7\n"
            "slice 0 +1600 [user_annotation] step 1 on 4711/4712 device - stream - flags 0 "
            "correlation:0=8\n"
            "slice 1100 +300 [gpu_memcpy] Memcpy HtoD (Host -> Device) on 0/'copies' on device "
            "device 0 stream - flags 0 device:0=0 correlation:0=9 bytes:0=4096\n"
            "link 0 1 -> 0\n");
  EXPECT_EQ(run.sources[0].kind, "rocprof");
  EXPECT_EQ(run.strings[run.sources[0].host_name], "amd-1");
  EXPECT_EQ(run.dropped, (Tally{{"callback_records", 1}}));
}

/// As version 7 of ROCm writes it: streams, a kernel that a range renamed, allocations, samples.
TEST(Rocprofv3, later_versions_say_more) {
  const Result<Imported> imported = import_text(R"x({"rocprofiler-sdk-tool": [{
 "metadata": {"pid": 1, "init_time": 1, "fini_time": 9, "config": {}, "command": ["a.out"]},
 "agents": [{"size": 304, "id": {"handle": 5}, "type": 2, "name": "gfx950", "product_name": ""}],
 "counters": [],
 "strings": {"callback_records": [], "buffer_records": [
   {"kind": "NONE", "operations": []}, {"kind": "KERNEL_DISPATCH", "operations": ["NONE", "COMPLETE"]},
   {"kind": "MEMORY_ALLOCATION", "operations": ["NONE", "ALLOCATE"]}],
  "marker_api": [], "correlation_id": {"external": [{"key": 77, "value": "step"}]},
  "counters": {"dimension_ids": []}, "pc_sample_instructions": [], "att_filenames": []},
 "code_objects": [], "kernel_symbols": [{"size": 80, "kernel_id": 0, "kernel_name": ""},
   {"size": 80, "kernel_id": 1, "kernel_name": "k.kd", "formatted_kernel_name": "k(int)",
    "demangled_kernel_name": "k(int) [clone .kd]", "truncated_kernel_name": "k"}],
 "host_functions": [], "summary": [{"domain": "KERNEL_DISPATCH", "stats": {}}],
 "callback_records": {"counter_collection": []},
 "buffer_records": {
  "kernel_dispatch": [{"size": 152, "kind": 1, "operation": 1, "thread_id": 1,
    "correlation_id": {"internal": 4, "external": 77}, "start_timestamp": 10,
    "end_timestamp": 30, "dispatch_info": {"size": 64, "agent_id": {"handle": 5},
    "queue_id": {"handle": 1}, "kernel_id": 1, "dispatch_id": 1, "private_segment_size": 0,
    "group_segment_size": 0, "workgroup_size": {"x": 4, "y": 4, "z": 1},
    "grid_size": {"x": 1024, "y": 1024, "z": 1}}, "stream_id": {"handle": 3},
    "kernel_rename_val": 77}],
  "hip_api": [], "hsa_api": [], "marker_api": [], "rccl_api": [], "memory_copy": [],
  "memory_allocation": [{"size": 72, "kind": 2, "operation": 1, "thread_id": 1,
    "correlation_id": {"internal": 2, "external": 0}, "start_timestamp": 2, "end_timestamp": 5,
    "agent_id": {"handle": 5}, "address": "0x7f", "allocation_size": 64}],
  "scratch_memory": [],
  "pc_sample_host_trap": [{"record": {"timestamp": 12}, "inst_index": 1}]}
}]})x");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(testing::slice_names(imported->run),
            (std::vector<std::string>{"k(int) [clone .kd] 20", "ALLOCATE 3"}));
  const auto& track =
      imported->run.tracks[static_cast<std::size_t>(imported->run.slices.track()[0])];
  EXPECT_EQ(track.stream, 3);
  EXPECT_EQ(imported->run.dropped, (Tally{{"pc_samples", 1}}));
  EXPECT_TRUE(imported->run.repaired.empty());
}

TEST(Rocprofv3, the_first_versions_had_another_list_of_kernels_and_no_array) {
  const Result<Imported> imported = import_text(
      R"({"rocprofiler-sdk-tool":{"kernel_symbols":[{"kernel_id":1,"kernel_name":"k.kd"}],)"
      R"("buffer_records":{"kernel_dispatches":[{"start_timestamp":1,"end_timestamp":4,)"
      R"("dispatch_info":{"kernel_id":1}}]}}})");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(testing::slice_names(imported->run), (std::vector<std::string>{"k 3"}));
}

TEST(Rocprofv3, cut_anywhere_keeps_what_was_whole) {
  for (std::size_t size = 30; size < kDocument.size() - 4; size += 7) {
    const Result<Imported> imported = import_text(kDocument.substr(0, size));
    if (!imported) continue;  // before the first process
    EXPECT_EQ(imported->run.dropped.count("truncated_input"), 1u) << size;
  }
  const std::size_t in_copies = kDocument.find("\"bytes\"");
  const Result<Imported> imported = import_text(kDocument.substr(0, in_copies));
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->run.slices.size(), 3u);
}

TEST(Rocprofv3, records_without_names_or_times_are_counted) {
  const Result<Imported> imported = import_text(
      R"({"rocprofiler-sdk-tool":[{"buffer_records":{"hip_api":[)"
      R"({"kind":1,"operation":5,"start_timestamp":5,"end_timestamp":3},)"
      R"({"kind":1,"operation":5},{"start_timestamp":1,"end_timestamp":9e99}, 7, {"a":nope}]}}]})");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->run.slices.size(), 1u);
  EXPECT_EQ(imported->run.repaired.at("negative_duration"), 1u);
  EXPECT_EQ(imported->run.repaired.at("missing_name"), 1u);
  EXPECT_EQ(imported->run.dropped.at("no_timestamp"), 2u);
  EXPECT_EQ(imported->run.dropped.at("malformed_event"), 1u);
}

TEST(Rocprofv3, without_a_process_is_an_error) {
  const Result<Imported> imported = import_text(R"({"rocprofiler-sdk-tool":[]})");
  ASSERT_FALSE(imported);
  EXPECT_NE(imported.error().message.find("has no events"), std::string::npos);
}

}  // namespace
}  // namespace tactus::rocprof
